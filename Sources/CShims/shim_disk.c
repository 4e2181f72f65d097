#include "shim_disk.h"

#include <sys/vfs.h>

/* statfs(2), linux/magic.h and the file systems' own sources. Those that are shared by machines, or served by a process,
 * are many, and new ones come: named are those of which it is known. */
bool shim_is_local_kind(uint32_t kind) {
  switch (kind) {
    case 0xEF53:     /* ext2, ext3, ext4 */
    case 0x58465342: /* XFS */
    case 0x9123683E: /* Btrfs */
    case 0x2FC12FC1: /* ZFS */
    case 0xCA451A4E: /* bcachefs */
    case 0xF2F52010: /* F2FS */
    case 0x3153464A: /* JFS */
    case 0x52654973: /* ReiserFS */
    case 0x3434:     /* NILFS */
    case 0x24051905: /* UBIFS */
    case 0x4D44:     /* FAT */
    case 0x2011BAB0: /* exFAT */
    case 0x7366746E: /* NTFS */
    case 0x01021994: /* tmpfs */
    case 0x858458F6: /* ramfs */
    case 0x794C7630: /* overlay: its upper layer is one of these */
      return true;
    default: return false;
  }
}

bool shim_is_local(const char *folder) {
  struct statfs status;
  return statfs(folder, &status) == 0 && shim_is_local_kind((uint32_t)status.f_type);
}
