import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

private final class Person: Sendable {
  let note: Int?
  init(_ note: Int?) { self.note = note }
}

private final class Kept: SubjectRecord {
  let mark = WriteMark()
  let storeKey: String?
  init(_ key: String) { storeKey = key }
  func merge(into kept: [UInt8]?, under key: String) -> [UInt8]? { kept }
  func wasKept() {}
}

@Suite("Who is held, and whose records are in memory") struct SubjectDirectoryTests {
  private let people = SubjectDirectory<Person, Kept, Int>(maximumClosed: 2)

  private func open(_ id: UInt8) -> SubjectDirectory<Person, Kept, Int>.Found {
    people.open([id]) {
      Kept("\(id)")
    } make: { _, note in
      Person(note)
    }
  }

  private func close(_ id: UInt8) { people.closed([id], 0) { $0.storeKey == "\($1[0])" } }

  @Test func whoIsHeldIsFoundAsTheSame() {
    let first = open(1)
    #expect(first.isNew && first.restored?.isGiven == false)
    let second = open(1)
    #expect(!second.isNew && second.handle === first.handle && second.restored === first.restored)
    #expect(people.handle(of: [1]) === first.handle && people.handle(of: [2]) == nil && people.handles.count == 1)
  }

  @Test func theRecordOfWhomNobodyHoldsStaysWithWhatWasNoted() {
    let record = open(1).record
    people.setNote(7, of: [1])
    close(1)
    #expect(people.handle(of: [1]) == nil && people.record(of: [1]) === record)
    let again = open(1)
    #expect(!again.isNew && again.record === record && again.handle.note == 7)
  }

  @Test func ofThoseWhoAreClosedTheOldestGo() {
    let held = open(0)
    close(0)
    for id in 1...3 {
      _ = open(UInt8(id))
      close(UInt8(id))
    }
    #expect(people.record(of: [0]) === held.record, "held again by then")
    #expect(people.record(of: [1]) == nil && people.record(of: [2]) != nil && people.record(of: [3]) != nil)
    #expect(people.count == 3)
  }

  @Test("Opened and closed however often, one person takes one place, and nobody goes for it") func oneWhoComesAgainAndAgain() {
    let record = open(1).record
    close(1)
    let other = open(2).record
    for _ in 0..<100 {
      close(2)
      _ = open(2)
    }
    close(2)
    #expect(people.record(of: [1]) === record && people.record(of: [2]) === other)
    _ = open(3)
    close(3)
    #expect(people.record(of: [1]) == nil && people.record(of: [2]) === other && people.count == 2)
  }

  @Test func whatIsBeingWrittenStays() {
    let record = open(1).record
    _ = record.mark.noteChange(0)
    _ = record.mark.beginWriting(0)
    for id in 1...6 {
      _ = open(UInt8(id))
      close(UInt8(id))
    }
    #expect(people.record(of: [1]) === record, "what is read of it meanwhile would be older")
    _ = record.mark.noteChange(0)
    _ = open(7)
    close(7)
    #expect(people.record(of: [1]) === record, "changed again meanwhile")
  }

  @Test func whatIsNotWrittenStays() {
    let record = open(1).record
    _ = record.mark.noteChange(0)
    for id in 1...6 {
      _ = open(UInt8(id))
      close(UInt8(id))
    }
    #expect(people.record(of: [1]) === record)
    _ = record.mark.beginWriting(0)
    _ = record.mark.endWriting(0)
    for id in 7...9 {
      _ = open(UInt8(id))
      close(UInt8(id))
    }
    #expect(people.record(of: [1]) == nil)
  }

  @Test func whoSharesARecordKeepsItInMemory() {
    let record = open(1).record
    let other = open(2)
    let (handle, former) = people.link([2], to: record)
    #expect(handle === other.handle && former === other.record)
    #expect(people.record(of: [2]) === record && people.id(sharing: former ?? record) == nil)
    close(1)
    for id in 3...5 {
      _ = open(UInt8(id))
      close(UInt8(id))
    }
    #expect(people.record(of: [1]) === record, "it would be read a second time for the one who shares it")
    #expect(people.keep(Kept("1"), of: [1]) === record && people.ids { $0 === record }.count == 2)
  }
}
