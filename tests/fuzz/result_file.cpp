// Whatever an HDF5 file with a matching digest contains, it must either be read as a result or be refused.
// The child process that reads the file may crash.
#include <hdf5.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>

#include "child_process.hpp"
#include "shown.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace torsor;
  static const int file = ::memfd_create("result", MFD_CLOEXEC),
                   begun = ::H5open();  // opened once, before any child process
  if (begun < 0 || ::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<::ssize_t>(size))
    std::abort();
  fuzz::show([&] {
    io::ChildProcess child(
        [](const io::ByteSink& out) {
          const itimerval soon{{}, {0, 50'000}};  // 50 ms: HDF5 may hang
          ::setitimer(ITIMER_VIRTUAL, &soon, nullptr);
          io::send_content(file, out);
        },
        1);
    const io::ByteSource in = [&child](void* to, std::size_t count) {
      if (!child.read(to, count)) throw io::ResultError("is damaged: HDF5 cannot read it; " + child.end());
    };
    return io::receive_content(in, 1 << 24);
  });
  return 0;
}
