#include "proxy/send_message.hpp"

#include <sys/socket.h>

#include <cstring>

namespace podfence::proxy {

void send_message(int socket, std::string_view bytes, int descriptor, const sockaddr_un* address,
                  socklen_t address_size) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
  msghdr message{};
  message.msg_name = const_cast<sockaddr_un*>(address);
  message.msg_namelen = address_size;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  }
  (void)::sendmsg(socket, &message, MSG_NOSIGNAL);
}

}  // namespace podfence::proxy
