// Permissions that hold for root too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_WITHOUTPRIVILEGES_H
#define MP_TEST_WITHOUTPRIVILEGES_H

#include <cstdlib>

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mp {

/// While it lives, permissions of files hold for this thread even if it is root's. Another user is no way to do that:
/// the folder of the tests may be closed to it.
class WithoutPrivileges {
public:
  WithoutPrivileges() {
    if (::syscall(SYS_capget, &header, before) != 0)
      std::abort();
    __user_cap_data_struct without[2] = {before[0], before[1]};
    without[0].effective &= ~(CAP_TO_MASK(CAP_DAC_OVERRIDE) | CAP_TO_MASK(CAP_DAC_READ_SEARCH));
    set(without);
  }
  ~WithoutPrivileges() { set(before); }
  WithoutPrivileges(const WithoutPrivileges &) = delete;
  WithoutPrivileges &operator=(const WithoutPrivileges &) = delete;

private:
  void set(const __user_cap_data_struct *capabilities) {
    if (::syscall(SYS_capset, &header, capabilities) != 0)
      std::abort();
  }

  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before[2];
};

} // namespace mp

#endif // MP_TEST_WITHOUTPRIVILEGES_H
