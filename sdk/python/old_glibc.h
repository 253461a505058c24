/* For REDHOST_WHEEL: these functions got a new version in glibc 2.35, with other error handling and
 * the same values.  With the one of before, the wheel runs from 2.34 on, as of Enterprise Linux 9.
 */
#if defined(__x86_64__)
__asm__(".symver hypot,hypot@GLIBC_2.2.5\n.symver hypotf,hypotf@GLIBC_2.2.5");
#elif defined(__aarch64__)
__asm__(".symver hypot,hypot@GLIBC_2.17\n.symver hypotf,hypotf@GLIBC_2.17");
#endif
