#pragma once

namespace torsor {

/// Opens a module of Torsor, as dlopen with these flags: from where the modules lie beside this program, in
/// the build as where it is installed, else from wherever the loader looks. Null if there is none.
void* load_module(const char* file, int flags);

}  // namespace torsor
