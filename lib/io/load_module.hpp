#pragma once

namespace torsor::io {

/// Opens a module of Torsor by dlopen with these flags. Null if there is none or if it cannot be loaded;
/// dlerror then has the reason. Looks in the folder of the modules relative to this program, then in the
/// folder of this program, in the build and as installed alike, and else lets the loader search.
void* load_module(const char* file, int flags);

}  // namespace torsor::io
