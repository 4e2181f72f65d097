import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

@Suite("Records are kept in raw memory until they are taken") struct EventIntakeTests {
  func intake(rows: Int = 100_000, bytes: Int = 64 << 20, rowBytes: Int = 1 << 20, dropsOldest: Bool = false)
    -> EventIntake
  {
    EventIntake(limits: .init(rows: rows, bytes: bytes, rowBytes: rowBytes, dropsOldest: dropsOldest), generation: 0)
  }

  func append(_ intake: EventIntake, _ payload: [UInt8], subject: String = "", generation: UInt32 = 0)
    -> EventIntake.Answer
  {
    payload.withUnsafeBytes { payload in
      subject.withBytes { intake.append(created: 5, subject: $0, payload: payload, generation: generation) }
    }
  }

  func take(_ intake: EventIntake) -> [(number: UInt64, subject: String, payload: [UInt8])] {
    var taken: [(UInt64, String, [UInt8])] = []
    var purges: [EventIntake.Purge] = []
    _ = intake.drain(&purges) { record in
      #expect(record.created == 5)
      taken.append((record.number, String(decoding: record.subject, as: UTF8.self), Array(record.payload)))
    }
    return taken
  }

  /// Lengths around the padding, the chunk's end, and beyond a whole chunk.
  @Test func recordsOfEveryLengthComeOutAsTheyWentIn() {
    let intake = intake()
    let lengths = Array(0...33) + [65_511, 65_512, 65_513, 65_519, 65_520, 65_521, 65_536, 200_000, 1, 0]
    for (index, length) in lengths.enumerated() {
      #expect(
        append(intake, [UInt8](repeating: UInt8(index), count: length), subject: String(repeating: "s", count: index))
          .isTaken)
    }
    let taken = take(intake)
    #expect(taken.map(\.payload.count) == lengths)
    #expect(taken.map(\.subject.utf8.count) == Array(0..<lengths.count))
    #expect(taken.enumerated().allSatisfy { index, record in record.payload.allSatisfy { $0 == UInt8(index) } })
    #expect(taken.map(\.number) == Array(0..<UInt64(lengths.count)))
    #expect(take(intake).isEmpty)
  }

  @Test func aPayloadMayComeInTwoParts() {
    let intake = intake(rowBytes: 5)
    func append(_ payload: [UInt8], _ tail: [UInt8]) -> Bool {
      payload.withUnsafeBytes { payload in
        tail.withUnsafeBytes { tail in
          "s".withBytes { intake.append(created: 5, subject: $0, payload: payload, tail: tail, generation: 0).isTaken }
        }
      }
    }
    #expect(append([1, 2], [3, 4, 5]))
    #expect(append([], [6]))
    #expect(append([7], []))
    #expect(!append([1, 2, 3], [4, 5, 6]))
    #expect(intake.with { $0.totalBytes } == 10)
    #expect(take(intake).map(\.payload) == [[1, 2, 3, 4, 5], [6], [7]])
  }

  @Test func aSubjectThatIsAPieceOfThePayloadIsKeptOnce() {
    let intake = intake(rows: 2, dropsOldest: true)
    func append(_ payload: [UInt8], subject: Range<Int>, tail: [UInt8] = []) {
      payload.withUnsafeBytes { payload in
        tail.withUnsafeBytes { tail in
          let subject = payload.view(from: subject.lowerBound, to: subject.upperBound)
          #expect(intake.append(created: 5, subject: subject, payload: payload, tail: tail, generation: 0).isTaken)
        }
      }
    }
    append([1, 2], subject: 0..<2)
    append(Array("abcdef".utf8), subject: 2..<4, tail: [9])
    append(Array("abcdef".utf8), subject: 6..<6)
    #expect(intake.with { $0.totalBytes } == 9 + 6)
    let taken = take(intake)
    #expect(taken.map(\.subject) == ["cd", ""])
    #expect(taken.map(\.payload) == [Array("abcdef".utf8) + [9], Array("abcdef".utf8)])
  }

  @Test func theOldestLeaveChunkAfterChunk() {
    let intake = intake(rows: 5, dropsOldest: true)
    for number in 0..<100 { #expect(append(intake, [UInt8](repeating: UInt8(number), count: 30_000)).isTaken) }
    let taken = take(intake)
    #expect(taken.map { $0.payload[0] } == [95, 96, 97, 98, 99])
    #expect(taken.map(\.number) == [95, 96, 97, 98, 99])
    #expect(intake.with { $0.dropped } == 95)
  }

  @Test func aTurnIsAskedForOnceUntilRecordsAreTaken() {
    let intake = intake()
    #expect(append(intake, [1]).priority == .soon)
    #expect(append(intake, [1]).priority == .none)
    intake.with { $0.urgentRows = 4 }
    #expect(append(intake, [1]).priority == .none)
    #expect(append(intake, [1]).priority == .now)
    #expect(append(intake, [1]).priority == .none)
    _ = take(intake)
    intake.account(rows: -5, bytes: -5)
    #expect(append(intake, [1]).priority == .soon)
  }

  @Test func aChildBeginsWithTheNextNumber() {
    let intake = intake()
    _ = append(intake, [1])
    _ = append(intake, [2])
    #expect(append(intake, [3], generation: 1).sequence == 2)
    #expect(take(intake).map(\.payload) == [[3]])
    #expect(intake.with { $0.totalRows } == 1)
    #expect(intake.with { $0.recorded } == 3)
  }

  @Test func waitingForACommitEndsWithTheAttempt() {
    let intake = intake()
    let first = append(intake, [1]).sequence
    let second = append(intake, [2]).sequence
    intake.progress.attempted(below: second, committed: true)
    #expect(intake.progress.waitForCommit(of: first, untilNanoseconds: .max))
    intake.progress.attempted(below: second &+ 1, committed: false)
    #expect(!intake.progress.waitForCommit(of: second, untilNanoseconds: .max))
    let third = append(intake, [3]).sequence
    #expect(!intake.progress.waitForCommit(of: third, untilNanoseconds: SystemClock().monotonicNanoseconds))
  }

  // MARK: Several threads

  /// Lets threads record until each has recorded `each`; a record is the thread's number and a counter.
  /// - Returns: how many were taken, per thread.
  func record(_ intake: EventIntake, threads: Int, each: UInt32) -> [Int] {
    let taken = LockedValue([Int](repeating: 0, count: threads))
    let recorders = (0..<threads).map { thread in
      HostThread {
        for number in 0..<each {
          let isTaken = withUnsafeBytes(of: (UInt32(thread), number)) { payload in
            intake.append(created: 5, subject: ByteView(start: nil, count: 0), payload: payload, generation: 0).isTaken
          }
          if isTaken { taken.withLock { $0[thread] += 1 } }
        }
      }
    }
    for recorder in recorders { recorder.join() }
    return taken.withLock { $0 }
  }

  func origin(_ payload: [UInt8]) -> (thread: Int, number: UInt32) {
    payload.withUnsafeBytes { (Int($0.load(as: UInt32.self)), $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self)) }
  }

  /// While somebody takes, nothing is lost or doubled, and each thread's records stay in their order.
  @Test func recordsOfManyThreadsAreTakenInTheOrderOfTheirNumbers() {
    let intake = intake()
    let taken = LockedValue([(number: UInt64, subject: String, payload: [UInt8])]())
    let isOver = LockedValue(false)
    let taker = HostThread {
      while !isOver.withLock({ $0 }) {
        let news = take(intake)
        taken.withLock { $0 += news }
      }
    }
    let counts = record(intake, threads: 6, each: 2_000)
    isOver.withLock { $0 = true }
    taker.join()
    let all = taken.withLock { $0 } + take(intake)
    #expect(counts == [Int](repeating: 2_000, count: 6))
    #expect(all.map(\.number) == Array(0..<12_000))
    for thread in 0..<6 {
      #expect(all.map { origin($0.payload) }.filter { $0.thread == thread }.map(\.number) == Array(0..<2_000))
    }
    #expect(intake.with { ($0.totalRows, $0.totalBytes) } == (12_000, 12_000 * 8))
  }

  @Test(arguments: [1_000, 10_000]) func theLimitsAreExactForManyThreads(limit: Int) {
    for (rows, bytes) in [(limit, 64 << 20), (100_000, limit * 8)] {
      let intake = intake(rows: rows, bytes: bytes)
      let counts = record(intake, threads: 6, each: 2_000)
      #expect(counts.reduce(0, +) == limit)
      #expect(intake.with { ($0.totalRows, $0.totalBytes) } == (limit, limit * 8))
      #expect(intake.with { ($0.recorded, $0.dropped) } == (limit, 12_000 - limit))
      #expect(take(intake).count == limit)
    }
  }

  @Test func theOldestOfAllThreadsGiveWay() {
    let intake = intake(rows: 500, dropsOldest: true)
    _ = record(intake, threads: 6, each: 1_000)
    #expect(take(intake).map(\.number) == Array(5_500..<6_000))
    #expect(intake.with { ($0.totalRows, $0.dropped) } == (500, 5_500))
  }

  @Test func everyThreadsRecordsAreTheParentsInAChild() {
    let intake = intake()
    _ = record(intake, threads: 4, each: 1_000)
    #expect(append(intake, [1], generation: 1).sequence == 4_000)
    #expect(take(intake).map(\.number) == [4_000])
  }

  @Test func aStripeFitsItsPlace() { #expect(MemoryLayout<ChunkQueue>.size <= EventIntake.lineBytes) }
}
