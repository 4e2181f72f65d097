import HoistBase
@testable import HoistCore
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
    intake.take(&purges) { number, record in
      #expect(record.created == 5)
      taken.append((number, String(decoding: record.subject, as: UTF8.self), Array(record.payload)))
    }
    return taken
  }

  /// Lengths around the padding, the chunk's end, and beyond a whole chunk.
  @Test func recordsOfEveryLengthComeOutAsTheyWentIn() {
    let intake = intake()
    let lengths = Array(0...33) + [65_519, 65_520, 65_521, 65_536, 200_000, 1, 0]
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
    #expect(append(intake, [1]).need == .soon)
    #expect(append(intake, [1]).need == .nothing)
    intake.with { $0.urgentRows = 4 }
    #expect(append(intake, [1]).need == .nothing)
    #expect(append(intake, [1]).need == .now)
    #expect(append(intake, [1]).need == .nothing)
    _ = take(intake)
    intake.account(rows: -5, bytes: -5)
    #expect(append(intake, [1]).need == .soon)
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
    intake.attempted(below: second, committed: true)
    #expect(intake.waitForCommit(of: first, untilNanoseconds: .max))
    intake.attempted(below: second &+ 1, committed: false)
    #expect(!intake.waitForCommit(of: second, untilNanoseconds: .max))
    let third = append(intake, [3]).sequence
    #expect(!intake.waitForCommit(of: third, untilNanoseconds: SystemClock().monotonicNanoseconds))
  }
}
