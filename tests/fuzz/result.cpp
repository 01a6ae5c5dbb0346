// Any data from the process that reads an HDF5 file must either be a result or be refused.
#include <cstdint>
#include <cstring>

#include "shown.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace torsor;
  std::size_t at = 0;
  const io::ByteSource in = [&](void* to, std::size_t count) {
    if (count > size - at) throw io::ResultError("is damaged: it ends early");
    if (count > 0) std::memcpy(to, data + at, count);
    at += count;
  };
  fuzz::show([&] { return io::receive_content(in, 1 << 20); });
  return 0;
}
