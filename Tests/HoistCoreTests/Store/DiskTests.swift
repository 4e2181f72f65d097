import CShims
import Testing

@Suite("Which disks are this machine's own") struct DiskTests {
  @Test(
    arguments: [
      ("ext4", 0xEF53), ("XFS", 0x5846_5342), ("Btrfs", 0x9123_683E), ("ZFS", 0x2FC1_2FC1), ("tmpfs", 0x0102_1994),
      ("overlay", 0x794C_7630), ("F2FS", 0xF2F5_2010),
    ] as [(String, UInt32)])
  func theOnesThatAreKnown(_ name: String, _ kind: UInt32) { #expect(shim_is_local_kind(kind), "\(name)") }

  @Test(
    arguments: [
      ("NFS", 0x6969), ("SMB", 0x517B), ("CIFS", 0xFF53_4D42), ("SMB2", 0xFE53_4D42), ("FUSE", 0x6573_5546), ("9P", 0x0102_1997),
      ("Ceph", 0x00C3_6400), ("AFS", 0x5346_414F), ("Coda", 0x7375_7245), ("Lustre", 0x0BD0_0BD0), ("GPFS", 0x4750_4653),
      ("BeeGFS", 0x1983_0326), ("OCFS2", 0x7461_636F), ("GFS2", 0x0116_1970), ("OrangeFS", 0x2003_0528), ("vboxsf", 0x786F_4256),
      ("vmhgfs", 0xBACB_ACBC), ("squashfs", 0x7371_7368), ("nothing", 0), ("tomorrow's", 0x1234_5678),
    ] as [(String, UInt32)])
  func theOthers(_ name: String, _ kind: UInt32) { #expect(!shim_is_local_kind(kind), "\(name)") }

  @Test func aFolderThatIsNotThereIsOnNone() { #expect(!shim_is_local("/nowhere/at all")) }
}
