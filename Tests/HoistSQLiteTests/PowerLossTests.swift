import HoistCore
import HoistSQLite
import Testing

/// Reliability 4.3, "power loss": what was written last and not yet synced is missing or torn.
@Suite("After a power loss the cache opens and is no older than its last sync (G10)") struct PowerLossTests {
  let scratch = Scratch()

  @Test func aLogThatEndsAnywhereIsReadAsFarAsItIsWhole() throws {
    let manager = scratch.manager()
    for version in 0..<12 {
      try manager.save(key: "flags", value: Array("version \(version)".utf8) + [UInt8](repeating: 7, count: 2_000))
      try manager.putEvents([.test("row \(version)", at: Int64(version))], owner: stranger(1))
    }
    try manager.releaseEvents(owner: stranger(1))
    _ = scratch.run("mkdir \"$D.kept\"; cp \"$F\" \"$F-wal\" \"$D.kept/\"")
    manager.close()
    let length = Int(scratch.run("stat -c %s \"$D.kept/unleash-00ff.sqlite-wal\"")) ?? 0
    #expect(length > 20 * 4_096)
    var versions: [Int] = []
    for cut in stride(from: 0, through: length, by: 3_001) {
      _ = scratch.run("rm -rf \"$D\"; cp -r \"$D.kept\" \"$D\"; truncate -s \(cut) \"$F-wal\"")
      let warnings = Lines()
      let after = scratch.manager(warn: { warnings.add($0) })
      let value = try after.load(key: "flags")
      versions.append(value.flatMap { Int(String(decoding: $0[8..<10].prefix { $0 != 7 }, as: UTF8.self)) } ?? -1)
      let rows = try after.claimAll(stranger(2))
      // A row is stored after the version of its number, so it is never ahead of it.
      #expect(rows.count <= versions[versions.count - 1] + 1)
      #expect(warnings.all.isEmpty)
    }
    #expect(versions == versions.sorted())
    #expect(versions.last == 11)
  }

  @Test func aTornPageInTheLogEndsIt() throws {
    let manager = scratch.manager()
    for version in 0..<6 { try manager.save(key: "flags", value: Array("version \(version)".utf8)) }
    _ = scratch.run("mkdir \"$D.kept\"; cp \"$F\" \"$F-wal\" \"$D.kept/\"")
    manager.close()
    for place in [40, 5_000, 20_000, 30_000] {
      _ = scratch.run(
        "rm -rf \"$D\"; cp -r \"$D.kept\" \"$D\"; dd if=/dev/urandom of=\"$F-wal\" bs=1 seek=\(place) count=500 conv=notrunc"
      )
      let warnings = Lines()
      let after = scratch.manager(warn: { warnings.add($0) })
      _ = try after.load(key: "flags")
      try after.save(key: "flags", value: [1])
      #expect(try after.load(key: "flags") == [1])
      #expect(warnings.all.isEmpty)
    }
  }
}
