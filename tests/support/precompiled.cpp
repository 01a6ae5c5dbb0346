// The source for which the headers of precompiled.hpp are compiled; all tests use them.
