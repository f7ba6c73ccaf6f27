/* Notes and refuses each attempt to connect beyond this machine, or to resolve a name; for LD_PRELOAD.

   A line of the file ATTEMPTS is a process and what it did: `ran COMMAND` at its start, `imports onnxruntime`,
   `resolve NAME`, `connect ADDRESS`. With FORGETTING, onnxruntime does not see ORT_DISABLE_TELEMETRY.
   No process sees that it runs in CI, where onnxruntime sends nothing of itself and the test would prove nothing. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void told(const char *did, const char *what) {
    int kept = errno;
    char line[1024];
    const char *place = REAL(getenv)("ATTEMPTS");
    int file = place ? open(place, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    int length = snprintf(line, sizeof line - 1, "%d %s %s", getpid(), did, what ? what : "");
    if (length > (int)sizeof line - 2) length = sizeof line - 2;
    line[length++] = '\n';
    if (file >= 0) {
        if (write(file, line, length) != length) abort();
        close(file);
    }
    errno = kept;
}

__attribute__((constructor)) static void started(void) {
    char command[900];
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = read(file, command, sizeof command - 1);
    close(file);
    for (ssize_t at = 0; at < length; at++)
        if (command[at] == '\0' || command[at] == '\n') command[at] = ' ';
    command[length > 0 ? length : 0] = '\0';
    told("ran", command);
}

static const char *const OF_CI[] = {
    "APPVEYOR",  "BUILDKITE",   "CI",               "CIRCLECI", "CODEBUILD_BUILD_ID", "GITHUB_ACTIONS",
    "GITLAB_CI", "JENKINS_URL", "TEAMCITY_VERSION", "TF_BUILD", "TRAVIS",
}; /* what the binary of onnxruntime 1.32 asks for */

char *getenv(const char *name) {
    for (size_t at = 0; at < sizeof OF_CI / sizeof *OF_CI; at++)
        if (strcmp(name, OF_CI[at]) == 0) return NULL;
    if (strcmp(name, "ORT_DISABLE_TELEMETRY") == 0) { /* nothing else asks for it */
        told("imports", "onnxruntime");
        if (REAL(getenv)("FORGETTING")) return NULL;
    }
    return REAL(getenv)(name);
}

int nice(int by) { /* embedding has the lowest priority, and a test must end on a busy machine */
    return (void)by, 0;
}

static int leaves(const struct sockaddr *to) {
    char text[INET6_ADDRSTRLEN] = "";
    if (to == NULL) return 0;
    if (to->sa_family == AF_INET) {
        const struct in_addr *address = &((const struct sockaddr_in *)to)->sin_addr;
        if (ntohl(address->s_addr) >> 24 == 127) return 0;
        inet_ntop(AF_INET, address, text, sizeof text);
    } else if (to->sa_family == AF_INET6) {
        const struct in6_addr *address = &((const struct sockaddr_in6 *)to)->sin6_addr;
        if (IN6_IS_ADDR_LOOPBACK(address) || (IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == 127)) return 0;
        inet_ntop(AF_INET6, address, text, sizeof text);
    } else {
        return 0; /* sockets of this machine */
    }
    told("connect", text);
    errno = ENETUNREACH;
    return 1;
}

int connect(int fd, const struct sockaddr *to, socklen_t size) { return leaves(to) ? -1 : REAL(connect)(fd, to, size); }

ssize_t sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to, socklen_t size) {
    return leaves(to) ? -1 : REAL(sendto)(fd, data, length, flags, to, size);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    return leaves(message->msg_name) ? -1 : REAL(sendmsg)(fd, message, flags);
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags) {
    for (unsigned int at = 0; at < count; at++)
        if (leaves(messages[at].msg_hdr.msg_name)) return -1;
    return REAL(sendmmsg)(fd, messages, count, flags);
}

static int is_number(const char *name) {
    unsigned char address[16];
    return name == NULL || inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
}

int getaddrinfo(const char *name, const char *port, const struct addrinfo *hints, struct addrinfo **found) {
    if (is_number(name)) return REAL(getaddrinfo)(name, port, hints, found);
    told("resolve", name);
    return EAI_FAIL;
}

int getnameinfo(const struct sockaddr *of, socklen_t size, char *host, socklen_t host_size, char *port,
                socklen_t port_size, int flags) {
    if (host == NULL || host_size == 0 || flags & NI_NUMERICHOST)
        return REAL(getnameinfo)(of, size, host, host_size, port, port_size, flags);
    told("resolve", "the name of an address");
    return EAI_FAIL;
}

struct hostent *gethostbyname(const char *name) {
    told("resolve", name);
    h_errno = NO_RECOVERY;
    return NULL;
}

int gethostbyname_r(const char *name, struct hostent *of, char *data, size_t size, struct hostent **found, int *error) {
    (void)of, (void)data, (void)size;
    told("resolve", name);
    *found = NULL;
    *error = NO_RECOVERY;
    return -1;
}

struct hostent *gethostbyname2(const char *name, int family) { return (void)family, gethostbyname(name); }

int gethostbyname2_r(const char *name, int family, struct hostent *of, char *data, size_t size, struct hostent **found,
                     int *error) {
    return (void)family, gethostbyname_r(name, of, data, size, found, error);
}

struct hostent *gethostbyaddr(const void *address, socklen_t size, int family) {
    return (void)address, (void)size, (void)family, gethostbyname("the name of an address");
}

int gethostbyaddr_r(const void *address, socklen_t length, int family, struct hostent *of, char *data, size_t size,
                    struct hostent **found, int *error) {
    (void)address, (void)length, (void)family;
    return gethostbyname_r("the name of an address", of, data, size, found, error);
}
