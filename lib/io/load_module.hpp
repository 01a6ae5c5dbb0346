#pragma once

namespace torsor::io {

/// Opens a module of Torsor by dlopen with these flags; null if there is none. Looks in the folder of the
/// modules relative to this program, then in the folder of this program (both in the build and as
/// installed), and else lets the loader search.
void* load_module(const char* file, int flags);

}  // namespace torsor::io
