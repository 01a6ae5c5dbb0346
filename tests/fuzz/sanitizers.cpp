// Short traces and no patterns in new memory: inputs are tried in half the time.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "malloc_context_size=3:max_malloc_fill_size=0:quarantine_size_mb=16";
}
