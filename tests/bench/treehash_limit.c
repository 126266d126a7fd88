/* The limit that bench_treehash.py compares with: the same system calls, the same closing pass, OpenSSL's SHA-256.
 *
 * Prints the CPU seconds of the whole reading and a digest over all digests (so that nothing can be left out).
 * Build: gcc -O2 treehash_limit.c -lcrypto
 */
#define _GNU_SOURCE
#define OPENSSL_SUPPRESS_DEPRECATED
#include <dirent.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FLAGS (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)

struct entry {
    char name[64];
    unsigned char is_directory;
    struct timespec ctime;
    ino_t ino;
    off_t size;
    mode_t mode;
};

struct directory {
    char path[128];
    struct stat seal;
    struct entry *entries;
    size_t count;
};

static struct directory *directories;
static size_t directory_count;
static SHA256_CTX all;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static int open_directory(int root, const char *path) {
    int fd = openat(root, path, FLAGS | O_DIRECTORY);
    if (fd < 0) fail(path);
    return fd;
}

static void list(int root, const char *path) {
    int fd = open_directory(root, path);
    directories = realloc(directories, (directory_count + 1) * sizeof *directories);
    struct directory *here = &directories[directory_count++];
    memset(here, 0, sizeof *here);
    snprintf(here->path, sizeof here->path, "%s", path);
    if (fstat(fd, &here->seal)) fail("fstat");
    DIR *listing = fdopendir(dup(fd));
    if (!listing) fail("fdopendir");
    size_t room = 0;
    for (struct dirent *item; (item = readdir(listing));) {
        if (!strcmp(item->d_name, ".") || !strcmp(item->d_name, "..")) continue;
        if (here->count == room) here->entries = realloc(here->entries, (room = room * 2 + 64) * sizeof(struct entry));
        struct entry *entry = &here->entries[here->count++];
        snprintf(entry->name, sizeof entry->name, "%s", item->d_name);
        entry->is_directory = item->d_type == DT_DIR;
    }
    closedir(listing);
    close(fd);
    qsort(here->entries, here->count, sizeof(struct entry), by_name);
}

static void hash(int fd, struct entry *entry) {
    static unsigned char buffer[1 << 20];
    unsigned char digest[SHA256_DIGEST_LENGTH];
    int file = openat(fd, entry->name, FLAGS);
    struct stat status;
    if (file < 0 || fstat(file, &status)) fail(entry->name);
    if (!S_ISREG(status.st_mode) || status.st_nlink != 1 || status.st_size >= (off_t)sizeof buffer) fail("odd file");
    ssize_t count = read(file, buffer, status.st_size + 1);
    if (count != status.st_size) fail("size");
    SHA256(buffer, count, digest);
    SHA256_Update(&all, digest, sizeof digest);
    close(file);
    entry->ctime = status.st_ctim;
    entry->ino = status.st_ino;
    entry->size = status.st_size;
    entry->mode = status.st_mode;
}

static int is_unchanged(int fd, const struct entry *entry) {
    struct stat status;
    if (fstatat(fd, entry->name, &status, AT_SYMLINK_NOFOLLOW)) fail(entry->name);
    return status.st_ctim.tv_sec == entry->ctime.tv_sec && status.st_ctim.tv_nsec == entry->ctime.tv_nsec &&
           status.st_ino == entry->ino && status.st_size == entry->size && status.st_mode == entry->mode;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    int root = open(argv[1], FLAGS | O_DIRECTORY);
    if (root < 0) fail(argv[1]);
    SHA256_Init(&all);
    list(root, ".");
    for (size_t i = 0, count = directories[0].count; i < count; i++)
        if (directories[0].entries[i].is_directory) list(root, directories[0].entries[i].name);
    for (size_t d = 0; d < directory_count; d++) {
        int fd = open_directory(root, directories[d].path);
        struct stat status;
        fstat(fd, &status);
        for (size_t i = 0; i < directories[d].count; i++)
            if (!directories[d].entries[i].is_directory) hash(fd, &directories[d].entries[i]);
        close(fd);
    }
    for (size_t d = 0; d < directory_count; d++) {
        int fd = open_directory(root, directories[d].path);
        struct stat status;
        if (fstat(fd, &status) || status.st_ctim.tv_nsec != directories[d].seal.st_ctim.tv_nsec) fail("directory changed");
        for (size_t i = 0; i < directories[d].count; i++)
            if (!directories[d].entries[i].is_directory && !is_unchanged(fd, &directories[d].entries[i])) fail("changed");
        close(fd);
    }
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256_Final(digest, &all);
    struct timespec cpu;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    printf("%.6f %02x%02x%02x%02x\n", cpu.tv_sec + cpu.tv_nsec / 1e9, digest[0], digest[1], digest[2], digest[3]);
    return 0;
}
