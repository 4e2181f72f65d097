/// A row of a pipeline, from its arrival until it is settled. On the scheduler's thread only.
struct PipelineRow {
  var row: EventRow
  /// When it was recorded, by the pipeline's `steadyMilliseconds`, or began to count as old as its date says.
  let since: Int64
  /// The store was asked to keep it: its removal must be asked for as well.
  var isInStore = false
  /// Under which of the store's identities it was committed; nil before.
  var epoch: UInt64?
  /// The store has it with a date that cannot be: it is to be stored once more.
  var isRedated = false
  /// In the queue, as opposed to in a batch.
  var isWaiting = true
  /// Goes only with the rows of its group.
  var isGrouped = false
  /// In the room of those that wait for consent, and not counted against the limits.
  var isAside = false
  /// How many batches that it was in have failed.
  var failures = 0

  /// What it counts against the limits.
  var bytes: Int { row.payload.count + row.subject.utf8.count }
}

/// All rows of a pipeline by number, and the order in which they wait.
///
/// Rows that came in through `record` have their number in the order of arrival; rows from the store
/// have numbers of their own, above `adoptedBase`.
struct RowTable {
  static let adoptedBase = UInt64(1) << 63

  private(set) var rows: [UInt64: PipelineRow] = [:]
  /// Those that wait, oldest first, among others that are gone.
  private var order: [UInt64] = []
  private var head = 0
  private(set) var waitingCount = 0
  private(set) var waitingBytes = 0
  private var nextAdopted = Self.adoptedBase

  var isEmpty: Bool { rows.isEmpty }
  subscript(number: UInt64) -> PipelineRow? { rows[number] }

  mutating func append(_ row: PipelineRow, number: UInt64) {
    rows[number] = row
    order.append(number)
    count(row, 1)
  }

  /// A number for a row that did not come in through `record`.
  mutating func newNumber() -> UInt64 {
    defer { nextAdopted += 1 }
    return nextAdopted
  }

  /// Rows from the store are older than anything here.
  /// - Returns: their numbers.
  mutating func prepend(_ new: [PipelineRow]) -> [UInt64] {
    let numbers = new.map { row in
      let number = newNumber()
      rows[number] = row
      count(row, 1)
      return number
    }
    putFirst(numbers)
    return numbers
  }

  /// Rows of a batch wait again, before all others.
  mutating func putBack(_ numbers: [UInt64]) {
    let alive = numbers.filter { rows[$0]?.isWaiting == false }
    for number in alive {
      rows[number]?.isWaiting = true
      if let row = rows[number] { count(row, 1) }
    }
    putFirst(alive)
  }

  private mutating func putFirst(_ numbers: [UInt64]) {
    order.replaceSubrange(0..<head, with: numbers)
    head = 0
  }

  /// Rows leave the queue for a batch.
  mutating func takeOut(_ numbers: [UInt64]) {
    var place = head
    var isAtFront = true
    for number in numbers {
      while place < order.count, rows[order[place]]?.isWaiting != true { place += 1 }
      isAtFront = isAtFront && place < order.count && order[place] == number
      if isAtFront { place += 1 }
    }
    for number in numbers {
      guard let row = rows[number], row.isWaiting else { continue }
      count(row, -1)
      rows[number]?.isWaiting = false
    }
    if isAtFront {
      head = place
      compact()
    } else {
      // Nothing that may be put back later keeps its old place.
      order = order[head...].filter { rows[$0]?.isWaiting == true }
      head = 0
    }
  }

  mutating func remove(_ number: UInt64) -> PipelineRow? {
    guard let row = rows.removeValue(forKey: number) else { return nil }
    if row.isWaiting { count(row, -1) }
    return row
  }

  mutating func update(_ number: UInt64, _ change: (inout PipelineRow) -> Void) {
    guard var row = rows[number] else { return }
    let before = row.bytes
    change(&row)
    rows[number] = row
    if row.isWaiting { waitingBytes += row.bytes - before }
  }

  /// Gives each row another date.
  mutating func date(_ made: (PipelineRow) -> Int64) {
    for (number, row) in rows { rows[number]?.row.createdUnixMilliseconds = made(row) }
  }

  /// Calls `body` with each row that waits, oldest first, until it returns false.
  mutating func forEachWaiting(_ body: (UInt64, PipelineRow) -> Bool) {
    compact()
    for number in order[head...] {
      guard let row = rows[number], row.isWaiting else { continue }
      if !body(number, row) { return }
    }
  }

  private mutating func count(_ row: PipelineRow, _ sign: Int) {
    waitingCount += sign
    waitingBytes += sign * row.bytes
  }

  /// Removes entries of rows that are gone: at the front, and everywhere when they are the majority.
  private mutating func compact() {
    while head < order.count, rows[order[head]]?.isWaiting != true { head += 1 }
    if head == order.count {
      order = []
      head = 0
    } else if order.count - head > 64, order.count - head > waitingCount * 2 {
      order = order[head...].filter { rows[$0]?.isWaiting == true }
      head = 0
    } else if head > 4_096, head * 2 > order.count {
      order.removeFirst(head)
      head = 0
    }
  }
}
