#include "proxy/system_calls.hpp"

#include <asm/termbits.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

namespace podfence::proxy {
namespace {

constexpr std::uint64_t whole = ~std::uint64_t{0};
constexpr Condition unix_sockets{0, whole, AF_UNIX};
constexpr Condition not_executable{2, PROT_EXEC, 0};
constexpr Condition command(std::uint64_t number) { return {1, whole, number}; }

constexpr AllowedCall call(int number, Condition only = {}) { return {number, only}; }

constexpr std::array serving{
    // Bytes of what is open
    call(SCMP_SYS(read)),
    call(SCMP_SYS(write)),
    call(SCMP_SYS(readv)),
    call(SCMP_SYS(writev)),
    call(SCMP_SYS(pread64)),
    call(SCMP_SYS(pwrite64)),
    call(SCMP_SYS(pwritev)),
    call(SCMP_SYS(preadv)),
    call(SCMP_SYS(splice)),
    call(SCMP_SYS(sendfile)),
    call(SCMP_SYS(close)),
    call(SCMP_SYS(dup)),
    call(SCMP_SYS(fcntl)),
    call(SCMP_SYS(ioctl), command(FIONBIO)),
    call(SCMP_SYS(ioctl), command(FIONREAD)),
    call(SCMP_SYS(ioctl), command(TCGETS)),
    call(SCMP_SYS(lseek)),
    call(SCMP_SYS(pipe2)),
    // Files: which ones is Landlock's business. Spool, ledger, sockets, audit log, configuration
    call(SCMP_SYS(open)),
    call(SCMP_SYS(openat)),
    call(SCMP_SYS(openat2)),
    call(SCMP_SYS(stat)),
    call(SCMP_SYS(lstat)),
    call(SCMP_SYS(fstat)),
    call(SCMP_SYS(newfstatat)),
    call(SCMP_SYS(statx)),
    call(SCMP_SYS(statfs)),
    call(SCMP_SYS(fstatfs)),
    call(SCMP_SYS(access)),
    call(SCMP_SYS(faccessat)),
    call(SCMP_SYS(faccessat2)),
    call(SCMP_SYS(readlink)),
    call(SCMP_SYS(readlinkat)),
    call(SCMP_SYS(getdents64)),
    call(SCMP_SYS(getcwd)),
    call(SCMP_SYS(fsync)),
    call(SCMP_SYS(fdatasync)),
    call(SCMP_SYS(ftruncate)),
    call(SCMP_SYS(fallocate)),
    call(SCMP_SYS(fadvise64)),
    call(SCMP_SYS(unlink)),
    call(SCMP_SYS(unlinkat)),
    call(SCMP_SYS(rename)),
    call(SCMP_SYS(renameat)),
    call(SCMP_SYS(renameat2)),
    call(SCMP_SYS(mkdir)),
    call(SCMP_SYS(mkdirat)),
    call(SCMP_SYS(rmdir)),
    call(SCMP_SYS(chmod)),
    call(SCMP_SYS(fchmod)),
    call(SCMP_SYS(fchmodat)),
    call(SCMP_SYS(fchown)),
    call(SCMP_SYS(umask)),
    call(SCMP_SYS(inotify_init1)),
    call(SCMP_SYS(inotify_add_watch)),
    call(SCMP_SYS(inotify_rm_watch)),
    // Sockets: clients are accepted, nobody is called. What is connected comes from the connector
    call(SCMP_SYS(accept)),
    call(SCMP_SYS(accept4)),
    call(SCMP_SYS(recvfrom)),
    call(SCMP_SYS(recvmsg)),
    call(SCMP_SYS(sendto)),
    call(SCMP_SYS(sendmsg)),
    call(SCMP_SYS(shutdown)),
    call(SCMP_SYS(getsockopt)),
    call(SCMP_SYS(setsockopt)),
    call(SCMP_SYS(getsockname)),
    call(SCMP_SYS(getpeername)),
    call(SCMP_SYS(socket), unix_sockets),
    call(SCMP_SYS(socketpair), unix_sockets),
    call(SCMP_SYS(bind)),
    call(SCMP_SYS(listen)),
    // Waiting
    call(SCMP_SYS(epoll_create1)),
    call(SCMP_SYS(epoll_ctl)),
    call(SCMP_SYS(epoll_wait)),
    call(SCMP_SYS(epoll_pwait)),
    call(SCMP_SYS(poll)),
    call(SCMP_SYS(ppoll)),
    call(SCMP_SYS(eventfd2)),
    call(SCMP_SYS(timerfd_create)),
    call(SCMP_SYS(timerfd_settime)),
    call(SCMP_SYS(futex)),
    call(SCMP_SYS(nanosleep)),
    call(SCMP_SYS(clock_nanosleep)),
    call(SCMP_SYS(clock_gettime)),
    call(SCMP_SYS(clock_getres)),
    call(SCMP_SYS(gettimeofday)),
    call(SCMP_SYS(time)),
    call(SCMP_SYS(restart_syscall)),
    call(SCMP_SYS(sched_yield)),
    // Memory, never of new code
    call(SCMP_SYS(brk)),
    call(SCMP_SYS(mmap), not_executable),
    call(SCMP_SYS(mprotect), not_executable),
    call(SCMP_SYS(munmap)),
    call(SCMP_SYS(mremap)),
    call(SCMP_SYS(madvise)),
    // The process itself, and the end of its children
    call(SCMP_SYS(getpid)),
    call(SCMP_SYS(gettid)),
    call(SCMP_SYS(getppid)),
    call(SCMP_SYS(getuid)),
    call(SCMP_SYS(geteuid)),
    call(SCMP_SYS(getgid)),
    call(SCMP_SYS(getegid)),
    call(SCMP_SYS(getrandom)),
    call(SCMP_SYS(getrusage)),
    call(SCMP_SYS(getrlimit)),
    call(SCMP_SYS(sysinfo)),
    call(SCMP_SYS(uname)),
    call(SCMP_SYS(sched_getaffinity)),
    call(SCMP_SYS(rt_sigaction)),
    call(SCMP_SYS(rt_sigprocmask)),
    call(SCMP_SYS(rt_sigreturn)),
    call(SCMP_SYS(sigaltstack)),
    call(SCMP_SYS(pidfd_send_signal)),
    call(SCMP_SYS(waitid)),
    call(SCMP_SYS(wait4)),
    call(SCMP_SYS(exit)),
    call(SCMP_SYS(exit_group)),
};

constexpr std::array connecting{
    call(SCMP_SYS(socket), unix_sockets),
    call(SCMP_SYS(connect)),
    call(SCMP_SYS(close)),
    call(SCMP_SYS(poll)),
    call(SCMP_SYS(ppoll)),
    call(SCMP_SYS(recvmsg)),
    call(SCMP_SYS(recvfrom)),
    call(SCMP_SYS(sendmsg)),
    call(SCMP_SYS(restart_syscall)),
    call(SCMP_SYS(rt_sigreturn)),
    call(SCMP_SYS(exit_group)),
};

/// No mistake of ours, and no library's idea.
constexpr std::array fatal{
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(fork),
    SCMP_SYS(vfork),
    SCMP_SYS(ptrace),
    SCMP_SYS(mount),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(setns),
    SCMP_SYS(bpf),
    SCMP_SYS(unshare),
    SCMP_SYS(keyctl),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(chroot),
    SCMP_SYS(kexec_load),
    SCMP_SYS(add_key),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(init_module),
    SCMP_SYS(userfaultfd),
};

void check(int result, const char* what) {
  if (result < 0) throw std::system_error(-result, std::generic_category(), what);
}

void allow(scmp_filter_ctx filter, const AllowedCall& allowed) {
  const auto& [argument, mask, value] = allowed.only;
  const scmp_arg_cmp condition{argument, SCMP_CMP_MASKED_EQ, mask, value};
  check(seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, allowed.number, mask == 0 ? 0 : 1, &condition),
        "seccomp_rule_add");
}

}  // namespace

std::span<const AllowedCall> serving_calls() { return serving; }
std::span<const AllowedCall> connecting_calls() { return connecting; }

void restrict_system_calls(std::span<const AllowedCall> allowed) {
  const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)), seccomp_release);
  if (!filter) throw std::system_error(ENOMEM, std::generic_category(), "seccomp_init");
  // Calls of another architecture's table are not ours.
  check(seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS), "seccomp_attr_set");
  check(seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2), "seccomp_attr_set");  // a tree, not a list
  for (const auto& each : allowed) allow(filter.get(), each);
  for (const int number : fatal)
    check(seccomp_rule_add(filter.get(), SCMP_ACT_KILL_PROCESS, number, 0), "seccomp_rule_add");
  check(seccomp_load(filter.get()), "seccomp_load");
}

}  // namespace podfence::proxy
