#include "shim_disk.h"

#include <linux/magic.h>
#include <sys/vfs.h>

/* Those that linux/magic.h does not name: statfs(2). */
enum { CEPH = 0x00C36400, FUSE = 0x65735546 };

bool shim_is_local(const char *folder) {
  struct statfs status;
  if (statfs(folder, &status) != 0) return false;
  switch ((unsigned long)status.f_type & 0xFFFFFFFFul) {
    case NFS_SUPER_MAGIC:
    case SMB_SUPER_MAGIC:
    case 0xFF534D42: /* CIFS */
    case 0xFE534D42: /* SMB2 */
    case FUSE:
    case V9FS_MAGIC:
    case CEPH:
    case AFS_SUPER_MAGIC:
    case AFS_FS_MAGIC:
    case CODA_SUPER_MAGIC:
      return false;
    default: return true;
  }
}
