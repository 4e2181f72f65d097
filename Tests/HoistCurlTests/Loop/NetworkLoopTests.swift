import Glibc
import HoistBase
import HoistCore
import Testing

@testable import HoistCurl

/// The network thread as a scheduler: order, not speed.
@Suite struct NetworkLoopTests {
  @Test func workRunsInTheOrderOfPosting() throws {
    let loop = NetworkLoop()
    let trace = Trace()
    let done = Promise<Void>()
    for index in 0..<1_000 { loop.post { trace.add("\(index)") } }
    loop.post { done.fulfil() }
    try done.wait()
    #expect(trace.words == (0..<1_000).map { "\($0)" })
  }

  @Test func workPostedByWorkComesAfterWhatWasPostedBefore() throws {
    let loop = NetworkLoop()
    let trace = Trace()
    let done = Promise<Void>()
    loop.post {
      // Posted on the loop's own thread, so that nothing comes between.
      loop.post {
        trace.add("a")
        loop.post {
          trace.add("c")
          done.fulfil()
        }
      }
      loop.post { trace.add("b") }
    }
    try done.wait()
    #expect(trace.words == ["a", "b", "c"])
  }

  @Test func eachThreadsWorkKeepsItsOrder() throws {
    let loop = NetworkLoop()
    let trace = Trace()
    let ready = (0..<4).map { _ in Promise<Void>() }
    for thread in 0..<4 {
      let isRunning = HoistBase.Thread.start(name: "test-poster") {
        for index in 0..<500 { loop.post { trace.add("\(thread):\(index)") } }
        ready[thread].fulfil()
      }
      #expect(isRunning)
    }
    for promise in ready { try promise.wait() }
    let done = Promise<Void>()
    loop.post { done.fulfil() }
    try done.wait()
    #expect(trace.words.count == 2_000)
    for thread in 0..<4 {
      #expect(trace.words.filter { $0.hasPrefix("\(thread):") } == (0..<500).map { "\(thread):\($0)" })
    }
  }

  @Test func aSleepingLoopWakesForEveryPost() throws {
    // Each post finds the loop asleep, or going to sleep, after the one before.
    let loop = NetworkLoop()
    for _ in 0..<500 {
      let done = Promise<Void>()
      loop.post { done.fulfil() }
      try done.wait()
    }
  }

  @Test func timersRunInTheOrderOfTheirTimesAndNeverEarly() throws {
    let loop = NetworkLoop()
    let clock = SystemClock()
    let trace = Trace()
    let done = Promise<Void>()
    let start = clock.monotonicNanoseconds
    // Set by one piece of work, so that all are there before the first is due.
    loop.post {
      for delay in [30, 10, 20, 10, 0] as [Int64] {
        _ = loop.schedule(afterMilliseconds: delay) {
          trace.add("\(delay)")
          if clock.monotonicNanoseconds - start < delay * 1_000_000 { trace.add("early") }
          if delay == 30 { done.fulfil() }
        }
      }
    }
    try done.wait()
    #expect(trace.words == ["0", "10", "10", "20", "30"])
  }

  @Test func negativeAndHugeDelaysAreHarmless() throws {
    let loop = NetworkLoop()
    let done = Promise<Void>()
    let trace = Trace()
    let endless = loop.schedule(afterMilliseconds: .max) { trace.add("never") }
    _ = loop.schedule(afterMilliseconds: .max / 1_000_000) { trace.add("never") }
    _ = loop.schedule(afterMilliseconds: .min) { done.fulfil() }
    try done.wait()
    endless.cancel()
    #expect(trace.words.isEmpty)
  }

  private final class Witness: Sendable {
    let gone: Promise<Void>
    init(_ gone: Promise<Void>) { self.gone = gone }
    deinit { gone.fulfil() }
  }

  @Test func workAndCompletionsAreLetGoOnceTheyHaveRun() throws {
    let server = try LoopbackServer.answering { _ in answer() }
    defer { server.stop() }
    let loop = NetworkLoop()
    let transport = CurlTransport(loop: loop, withProxy: "")
    let gone = (0..<4).map { _ in Promise<Void>() }
    do {
      let witnesses = gone.map { Witness($0) }
      loop.post { _ = witnesses[0] }
      _ = loop.schedule(afterMilliseconds: 1) { _ = witnesses[1] }
      _ = transport.send(HTTPRequest(method: "GET", url: server.origin)) { _ in _ = witnesses[2] }
      transport.send(HTTPRequest(method: "GET", url: server.origin)) { _ in _ = witnesses[3] }.cancel()
    }
    for promise in gone { try promise.wait() }
  }

  @Test func aCancelledTimerDoesNotRunAndLetsGoOfItsWork() throws {
    let loop = NetworkLoop()
    let gone = Promise<Void>()
    let trace = Trace()
    let timer = { () -> any Cancellable in
      let witness = Witness(gone)
      return loop.schedule(afterMilliseconds: 3_600_000) { trace.add("\(witness)") }
    }()
    #expect(gone.count == 0)
    timer.cancel()
    #expect(gone.count == 1)
    timer.cancel()
  }

  @Test func aDueTimerCanBeCancelledByTheOneBeforeIt() throws {
    let loop = NetworkLoop()
    let trace = Trace()
    let done = Promise<Void>()
    loop.post {
      let holder = Holder()
      _ = loop.schedule(afterMilliseconds: 1) {
        trace.add("first")
        holder.timer?.cancel()
      }
      holder.timer = loop.schedule(afterMilliseconds: 1) { trace.add("second") }
      _ = loop.schedule(afterMilliseconds: 1) { done.fulfil() }
    }
    try done.wait()
    #expect(trace.words == ["first"])
  }

  private final class Holder: @unchecked Sendable {
    var timer: (any Cancellable)?
  }

  @Test func aTimerThatRenewsItselfAtOnceLetsOthersRun() throws {
    let loop = NetworkLoop()
    let holder = Holder()
    let started = Promise<Void>()
    let done = Promise<Void>()
    @Sendable func renew() {
      holder.timer = loop.schedule(afterMilliseconds: 0) { renew() }
      started.fulfil()
    }
    loop.post { renew() }
    try started.wait()
    loop.post { done.fulfil() }
    try done.wait()
    let stopped = Promise<Void>()
    loop.post {
      holder.timer?.cancel()
      stopped.fulfil()
    }
    try stopped.wait()
  }

  @Test func onlyTheLoopsOwnThreadIsCurrent() throws {
    let loop = NetworkLoop()
    let other = NetworkLoop()
    let found = Promise<[Bool]>()
    loop.post { found.fulfil([loop.isCurrent, other.isCurrent]) }
    #expect(try found.wait() == [true, false])
    #expect(!loop.isCurrent)
  }

  @Test func noThreadStartsBeforeTheFirstUse() throws {
    func threads() -> Int {
      guard let folder = opendir("/proc/self/task") else { return 0 }
      defer { closedir(folder) }
      var count = 0
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        guard let text = fopen("/proc/self/task/\(name)/comm", "r") else { continue }
        defer { fclose(text) }
        var line = [CChar](repeating: 0, count: 32)
        if fgets(&line, 32, text) != nil, line.starts(with: "lazy-test".utf8.map { CChar($0) }) { count += 1 }
      }
      return count
    }
    let loop = NetworkLoop(threadName: "lazy-test")
    #expect(threads() == 0)
    let done = Promise<Void>()
    loop.post { done.fulfil() }
    try done.wait()
    #expect(threads() == 1)
  }
}
