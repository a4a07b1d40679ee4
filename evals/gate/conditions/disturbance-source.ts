/**
 * C, compiled inside of the sandbox and preloaded: another time of day (`FORGE_GATE_SHIFT`, seconds), and folders listed from the last entry to the
 * first (`FORGE_GATE_REVERSE`). Only the time of day is moved: timers and monotonic clocks go on as they are.
 */
export const disturbanceSource = String.raw`#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#if !defined(__GLIBC__) || !defined(__LP64__)
#error "written for the 64-bit C library of GNU"
#endif

static long shift(void) {
  char *text = getenv("FORGE_GATE_SHIFT");
  return text ? atol(text) : 0;
}

int clock_gettime(clockid_t id, struct timespec *at) {
  int failed = syscall(SYS_clock_gettime, id, at);
  if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += shift();
  return failed;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
  if (at) *at = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  if (zone) memset(zone, 0, sizeof(struct timezone));
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}

struct listing {
  DIR *dir;
  struct dirent64 **entries;
  size_t left, count;
  struct listing *next;
};
static struct listing *listings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct dirent64 *real_readdir(DIR *dir) {
  static struct dirent64 *(*real)(DIR *);
  if (!real) real = dlsym(RTLD_NEXT, "readdir64");
  return real(dir);
}

static struct listing *list(DIR *dir) {
  struct listing *made = calloc(1, sizeof *made);
  made->dir = dir;
  for (struct dirent64 *entry; (entry = real_readdir(dir)); made->count++) {
    made->entries = realloc(made->entries, (made->count + 1) * sizeof *made->entries);
    made->entries[made->count] = memcpy(malloc(entry->d_reclen), entry, entry->d_reclen);
  }
  made->left = made->count;
  made->next = listings;
  return listings = made;
}

static struct dirent64 *step(DIR *dir) {
  if (!getenv("FORGE_GATE_REVERSE")) return real_readdir(dir);
  pthread_mutex_lock(&lock);
  struct listing *at = listings;
  while (at && at->dir != dir) at = at->next;
  if (!at) at = list(dir);
  struct dirent64 *entry = at->left ? at->entries[--at->left] : NULL;
  pthread_mutex_unlock(&lock);
  return entry;
}

static void forget(DIR *dir) {
  pthread_mutex_lock(&lock);
  for (struct listing **at = &listings; *at; at = &(*at)->next)
    if ((*at)->dir == dir) {
      struct listing *gone = *at;
      *at = gone->next;
      for (size_t i = 0; i < gone->count; i++) free(gone->entries[i]);
      free(gone->entries);
      free(gone);
      break;
    }
  pthread_mutex_unlock(&lock);
}

struct dirent64 *readdir64(DIR *dir) { return step(dir); }
struct dirent *readdir(DIR *dir) { return (struct dirent *)step(dir); }

void rewinddir(DIR *dir) {
  forget(dir);
  ((void (*)(DIR *))dlsym(RTLD_NEXT, "rewinddir"))(dir);
}

int closedir(DIR *dir) {
  forget(dir);
  return ((int (*)(DIR *))dlsym(RTLD_NEXT, "closedir"))(dir);
}
`;
