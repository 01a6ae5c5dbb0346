#pragma once

// Defines TORSOR_SANITIZED in builds with the address or thread sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TORSOR_SANITIZED
#elif defined(__clang__)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TORSOR_SANITIZED
#endif
#endif
