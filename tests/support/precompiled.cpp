// precompiled.hpp is compiled with this source; all tests reuse the result.
