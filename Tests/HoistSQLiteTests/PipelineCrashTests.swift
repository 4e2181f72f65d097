import Glibc
import HoistTestSupport
import Testing

/// Whole pipelines, over the real store and the real network thread, in processes that are killed.
@Suite("What was acknowledged is delivered, whoever dies (design 6, G10)") struct PipelineCrashTests {
  let scratch = Scratch()
  var probe: Probe { Probe(folder: scratch.path + "/cache") }
  var delivered: [String] { Shell.run("cat '\(scratch.path)/delivered'").split(separator: "\n").map(String.init) }

  /// Runs the program that delivers what is there, to its end.
  func deliverAll() {
    let result = probe.run("deliver 0 '\(scratch.path)/delivered'")
    #expect(result.lines.contains("closed true"), "\(result.lines)")
  }

  @Test("killed at any write, a record that was reported as stored is delivered", .enabled(if: Probe.canTrace))
  func storedRecordsSurviveAnyKill() {
    var number = 1
    var kills = 0
    while number < 1_000 {
      _ = scratch.run("rm -rf \"$D\" '\(scratch.path)/delivered'")
      let before = probe.run("record \(Probe.rounds * 2)", inject: "pwrite64:signal=KILL:when=\(number)")
      deliverAll()
      let missing = Set(before.all("stored ")).subtracting(delivered)
      #expect(missing.isEmpty, "killed at write \(number): \(missing)")
      #expect(Set(delivered).count == delivered.count, "killed at write \(number): delivered twice")
      if before.status == "status 0" { break }
      kills += 1
      number += 3
    }
    #expect(kills > 3)
  }

  @Test(
    "killed at any write, what was purged is never sent, batches on their way included",
    .enabled(if: Probe.canTrace), arguments: ["pwrite64", "fdatasync"])
  func refusedConsentStaysRefused(call: String) {
    var kills = 0
    var killsAfterThePurge = 0
    for number in 1...1_000 {
      _ = scratch.run("rm -rf \"$D\" '\(scratch.path)/delivered'")
      let before = probe.run(
        "refuse \(Probe.rounds) '\(scratch.path)/delivered'", inject: "\(call):signal=KILL:when=\(number)")
      deliverAll()
      let what = "\(call) \(number): \(delivered) after \(before.lines)"
      let isPurged = before.lines.contains("purged")
      let kept = Set(before.all("stored ").filter { $0.hasPrefix("kept-") })
      #expect(kept.isSubset(of: delivered), "\(what)")
      if isPurged { #expect(kept == Set(delivered), "\(what)") }
      // Twice only what its owner could not take out of the store any more.
      #expect(Dictionary(grouping: delivered) { $0 }.values.allSatisfy { $0.count <= 2 }, "\(what)")
      if before.status == "status 0" { break }
      kills += 1
      killsAfterThePurge += isPurged ? 1 : 0
    }
    #expect(kills > 0)
    if call == "pwrite64" { #expect(killsAfterThePurge > 0) }
  }

  @Test func killedWhileDeliveringNothingIsLost() {
    let before = probe.run("record 60")
    #expect(before.all("stored ").count == 60)
    var kills = 0
    for round in 0..<12 {
      let child = Shell.spawn([Probe.program, "deliver", scratch.path + "/cache", "0", scratch.path + "/delivered"])
      usleep(UInt32(15_000 + round * 4_000))
      kill(child, SIGKILL)
      if ForkedChild.wait(child) == .killed(signal: SIGKILL) { kills += 1 }
    }
    deliverAll()
    #expect(Set(before.all("stored ")) == Set(delivered))
    // Once more for each process that died before it could take out of the store what it had delivered.
    #expect(Dictionary(grouping: delivered) { $0 }.values.allSatisfy { $0.count <= 1 + kills })
  }

  @Test func processesThatShareAFileDeliverEveryRecordOnce() {
    let lines = Shell.run(
      "seq 3 | xargs -P 3 -I '{}' '\(Probe.program)' both '\(scratch.path)/cache' 60 '\(scratch.path)/delivered'")
    let closed = lines.split(separator: "\n").filter { $0 == "closed true" }
    #expect(closed.count == 3, "\(lines)")
    deliverAll()
    #expect(delivered.count == 180)
    #expect(Set(delivered).count == 180)
  }

  @Test("a fork in the middle of it: each side sends its own, once (G9)") func aForkedChildSendsItsOwn() {
    for _ in 0..<Probe.rounds {
      _ = scratch.run("rm -rf \"$D\" '\(scratch.path)/delivered'")
      let result = probe.run("fork 40 '\(scratch.path)/delivered'")
      #expect(result.lines.count { $0 == "closed true" } == 2, "\(result.lines)")
      #expect(result.all("stored ").count == 120)
      deliverAll()
      #expect(delivered.count == 120 && Set(delivered).count == 120)
    }
  }

  @Test func withPeriodicDurabilityAKillCostsTheLastMomentOnly() {
    let child = Shell.spawn([
      "/bin/sh", "-c", "exec '\(Probe.program)' record-periodic '\(scratch.path)/cache' 50 > '\(scratch.path)/out'",
    ])
    var patience = 2_000
    while patience > 0, Shell.run("tail -n 1 '\(scratch.path)/out' 2>/dev/null") != "slept" {
      patience -= 1
      usleep(10_000)
    }
    kill(child, SIGKILL)
    #expect(ForkedChild.wait(child) == .killed(signal: SIGKILL))
    deliverAll()
    #expect(delivered.count == 50 && Set(delivered).count == 50)
  }
}
