import Testing

/// Reliability 4.3, "kill -9 at any write", "disk full", "EIO": the probe program is killed, or its
/// system calls fail, at the first, second, third … call of a kind.
@Suite(
  "A crash at any moment costs nothing that was committed (G10)",
  .enabled(if: Probe.canTrace, "needs strace and leave to trace"))
struct CrashTests {
  let scratch = Scratch()

  /// Everything that `before` reported as done is there; nothing is that it never began.
  func check(_ before: Probe.Result, _ what: String) {
    let after = Probe(folder: scratch.path + "/cache").run("read")
    #expect(after.lines.contains("done reading"), "\(what): \(after.lines)")
    #expect(after.all("warning ").isEmpty, "\(what): \(after.lines)")
    let versions = before.all("done flags ").compactMap { Int($0) }
    let found = after.all("flags version ").first.flatMap { Int($0) }
    if let last = versions.max() { #expect((found ?? -1) >= last, "\(what): flags \(last), found \(found ?? -1)") }
    let additions = after.all("visitor ").flatMap { $0.split(separator: " ").dropFirst().map { String($0) } }
    #expect(Set(before.all("done addition ")).isSubset(of: additions), "\(what): additions \(additions)")
    #expect(Set(additions).count == additions.count, "\(what): additions \(additions)")
    let removed = Set(before.all("done gone "))
    let rows = after.all("row ").map { String($0.prefix { $0 != " " }) }
    let wanted = before.all("done row ").filter { !removed.contains($0) }
    // A removal may have been committed without having been reported.
    let missing = Set(wanted).subtracting(rows).filter { Int($0).map { $0 % 3 != 1 } ?? true }
    #expect(missing.isEmpty, "\(what): missing \(missing.sorted())")
    #expect(removed.isDisjoint(with: rows), "\(what): back again \(removed.intersection(rows))")
    #expect(after.all("row ").allSatisfy { $0.hasSuffix(" 700") }, "\(what)")
  }

  @Test(arguments: [
    "pwrite64", "fdatasync", "fsync", "ftruncate", "fallocate", "unlink", "mmap", "openat", "fcntl", "flock",
  ])
  func killedAtEveryCall(_ call: String) {
    var kills = 0
    for number in 1...1_000 {
      _ = scratch.run("rm -rf \"$D\"")
      let before = Probe(folder: scratch.path + "/cache").run(
        "write \(Probe.rounds)", inject: "\(call):signal=KILL:when=\(number)")
      check(before, "\(call) \(number)")
      if before.status == "status 0" { break }
      kills += 1
      #expect(before.status == "status 137", "\(before)")
    }
    // Some kinds of call a healthy run does not make at all.
    #expect(kills > 0 || ["fsync", "ftruncate", "fallocate", "unlink"].contains(call))
  }

  @Test(arguments: [
    "pwrite64:error=ENOSPC", "pwrite64:error=EIO", "fdatasync:error=EIO", "ftruncate:error=EIO", "pread64:error=EIO",
  ])
  func aFailingDiskIsSurvived(_ fault: String) {
    for number in 1...(Probe.rounds * 4) {
      _ = scratch.run("rm -rf \"$D\"")
      // Once, and from then on.
      for persistence in ["", "+"] {
        let before = Probe(folder: scratch.path + "/cache").run(
          "write \(Probe.rounds)", inject: "\(fault):when=\(number)\(persistence)")
        // 127: the program could not even be loaded.
        let loaded = before.status != "status 127"
        #expect(before.status == "status 0" || !loaded, "\(fault) \(number)\(persistence): \(before.lines)")
        check(before, "\(fault) \(number)\(persistence)")
      }
    }
  }

  @Test func aFullDiskIsAnErrorOfOneLine() {
    _ = scratch.run("mkdir \"$D\"")
    let filled = scratch.run("mount -t tmpfs -o size=256k,mode=700 tmpfs \"$D\" && echo mounted") == "mounted"
    guard filled else { return }  // Needs the right to mount.
    defer { _ = scratch.run("umount \"$D\"") }
    let before = Probe(folder: scratch.path + "/cache").run("write 2000")
    #expect(before.status == "status 0")
    #expect(before.all("failed ").contains { $0.hasSuffix("database or disk is full") })
    _ = scratch.run("mount -o remount,size=8m \"$D\"")
    check(before, "full disk")
  }
}
