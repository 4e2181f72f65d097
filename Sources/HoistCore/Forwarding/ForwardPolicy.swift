internal import HoistBase
internal import HoistJSON

/// Batches of other processes in a pipeline of this one: each part of a body is a row, and the rows of a body go together, unless
/// the service refuses them. How the request is made is the matter of the service's own policy. On the scheduler's thread.
final class ForwardPolicy: EventPolicy, @unchecked Sendable {
  typealias Tell = @Sendable (ForwardResult) -> Void

  private final class Ticket {
    /// Without its body.
    let batch: ForwardedBatch
    let body: ForwardedBody
    let count: Int
    /// Rows of which it is not known what becomes of them.
    var left: Int
    /// Parts that the service has refused, and why.
    var refused: [ArraySlice<UInt8>] = []
    var reason = ""
    let tell: Tell

    init(_ batch: ForwardedBatch, _ body: ForwardedBody, count: Int, _ tell: @escaping Tell) {
      (self.batch, self.body, self.count, left, self.tell) = (batch, body, count, count, tell)
    }
  }

  private let target: any EventPolicy
  private var tickets: [UInt64: Ticket] = [:]
  private var lastNumber: UInt64 = 0

  init(_ target: any EventPolicy) { self.target = target }

  /// - Returns: the rows of the batch, to be recorded; `tell` runs once.
  func take(_ batch: ForwardedBatch, _ division: BodyDivision, _ tell: @escaping Tell) throws(JSONFailure) -> [[UInt8]] {
    var body = try ForwardedBody(batch.body, division)
    lastNumber &+= 1
    let rows = body.elements.enumerated().map { ForwardedRow(number: lastNumber, place: $0.offset, part: $0.element).bytes }
    body.forgetElements()
    var batch = batch
    batch.body = []
    tickets[lastNumber] = Ticket(batch, body, count: rows.count, tell)
    return rows
  }

  /// None of them will be sent any more.
  func giveUp(_ result: ForwardResult) {
    let given = tickets.values
    tickets = [:]
    for ticket in given { ticket.tell(result) }
  }

  var batchLimits: BatchLimits { BatchLimits(rows: tickets.values.reduce(1) { max($0, $1.count) }) }

  func batchLength(_ rows: [EventRow]) -> Int {
    let first = rows.first.map { ForwardedRow($0.payload).number }
    return rows.prefix { ForwardedRow($0.payload).number == first }.count
  }

  func encode(_ batch: EventBatch) -> EventEncoding {
    let rows = batch.rows.map { ForwardedRow($0.payload) }
    guard let first = rows.first, let ticket = tickets[first.number] else { return refuse(batch, "their batch is unknown") }
    var told = ticket.batch
    if rows.count < ticket.count { told.id += "#\(first.place)+\(rows.count)" }
    told.body = ticket.body.joined(rows.map(\.part))
    guard case .request(let request, _) = target.forwarded(told) else { return refuse(batch, "the service takes them no more") }
    return .request(request)
  }

  private func refuse(_ batch: EventBatch, _ reason: String) -> EventEncoding {
    note(reason, of: batch)
    settle(batch, areRefused: true)
    return .reject(ids: batch.rows.map(\.id), reason: reason)
  }

  func prepare(_ request: HTTPRequest, completion: @escaping @Sendable (HTTPRequest?) -> Void) {
    target.prepareForwarded(request, completion: completion)
  }

  /// An address that is wrong says nothing of what was sent: it is tried again, slowly, as with a key that is refused.
  func classify(_ answer: Result<HTTPResponse, TransportFailure>, of batch: EventBatch) -> EventVerdict {
    target.sawForwarded(answer)
    let verdict = EventVerdict.standard(answer)
    if case .refused(let reason) = verdict, let status = try? answer.get().status, status == 404 || status == 405 {
      return .failed(FetchFailure(.network, reason, next: .slow))
    }
    switch verdict {
    case .refused(let reason), .drop(let reason): note(reason, of: batch)
    case .split: note("too large for the service (413)", of: batch)
    case .done, .failed, .again, .rest: break
    }
    return verdict
  }

  func delivered(_ batch: EventBatch) { settle(batch, areRefused: false) }
  func dropped(_ batch: EventBatch) { settle(batch, areRefused: true) }

  private func note(_ reason: String, of batch: EventBatch) {
    if let first = batch.rows.first { tickets[ForwardedRow(first.payload).number]?.reason = reason }
  }

  private func settle(_ batch: EventBatch, areRefused: Bool) {
    let rows = batch.rows.map { ForwardedRow($0.payload) }
    guard let number = rows.first?.number, let ticket = tickets[number] else { return }
    ticket.left -= rows.count
    if areRefused { ticket.refused += rows.map(\.part) }
    guard ticket.left <= 0 else { return }
    tickets[number] = nil
    guard !ticket.refused.isEmpty else { return ticket.tell(ForwardResult(status: .ok)) }
    ticket.tell(ForwardResult(status: .rejected, message: ticket.reason, refused: ticket.body.joined(ticket.refused)))
  }
}

/// A part of a body as a row has it: number of its batch, its place there, and its bytes.
private struct ForwardedRow {
  private static let headBytes = 12

  let number: UInt64
  let place: UInt32
  let part: ArraySlice<UInt8>

  init(number: UInt64, place: Int, part: [UInt8]) {
    (self.number, self.place, self.part) = (number, UInt32(clamping: place), part[...])
  }

  init(_ payload: [UInt8]) {
    (number, place) = payload.withUnsafeBytes { bytes in
      guard bytes.count >= Self.headBytes else { return (0, 0) }
      return (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }
    part = payload.dropFirst(Self.headBytes)
  }

  var bytes: [UInt8] {
    withUnsafeBytes(of: number) { Array($0) } + withUnsafeBytes(of: place) { Array($0) } + part
  }
}
