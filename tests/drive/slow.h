#ifndef TESTS_DRIVE_SLOW_H
#define TESTS_DRIVE_SLOW_H

/* 1 under the sanitizers, where tests try a part of what they try otherwise. */
#if defined(__SANITIZE_ADDRESS__)
#define IS_SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SLOW 1
#endif
#endif
#ifndef IS_SLOW
#define IS_SLOW 0
#endif

#endif
