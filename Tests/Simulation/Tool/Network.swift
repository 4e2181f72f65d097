import HoistBase
@testable import HoistCore
import HoistTestSupport

/// The simulated service: it knows what it has accepted, and has a document that changes.
final class Service: @unchecked Sendable {
  enum Mood {
    case well, failing, refusing
  }

  let dice: Dice
  var document = 1
  var mood = Mood.well
  /// Texts of records by id.
  private(set) var accepted: [String: String] = [:]
  /// Called for each record that it accepts.
  var accepts: (_ id: String, _ text: String) -> Void = { _, _ in }

  init(dice: Dice) { self.dice = dice }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    if mood == .refusing { return HTTPResponse(status: 401) }
    if mood == .failing, !dice.happens(oneIn: 4) {
      return request.method == "GET" && dice.happens(oneIn: 3) ? HTTPResponse(status: 200, body: Array("broken".utf8)) : failure()
    }
    return request.method == "GET" ? HTTPResponse(status: 200, body: Array("v\(document)".utf8)) : take(request.text)
  }

  private func failure() -> HTTPResponse {
    dice.pick([
      (3, HTTPResponse(status: 500)), (1, HTTPResponse(status: 503, headers: [HTTPHeader("Retry-After", "7")])),
      (1, HTTPResponse(status: 429)), (1, HTTPResponse(status: 302)),
    ])
  }

  /// All of a batch, or nothing where one record is bad.
  private func take(_ lines: String) -> HTTPResponse {
    let records = lines.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
    if records.contains(where: { $0.count != 2 || $0[1].hasPrefix("bad") }) { return HTTPResponse(status: 400) }
    for record in records {
      accepts(record[0], record[1])
      accepted[record[0]] = record[1]
    }
    return HTTPResponse(status: 202)
  }
}

/// The way from one process to the service and back: slow, out of order, doubled, late, or none.
final class Network: @unchecked Sendable {
  enum Way {
    case open, bad, cut
  }

  private let time: ManualScheduler
  private let dice: Dice
  private let service: Service
  private let faults: Set<Fault>
  weak var process: Process?
  var way = Way.open
  /// What is on its way out, as ids of records by exchange.
  private(set) var underWay: [ObjectIdentifier: [String]] = [:]
  /// What the service said last of the document, as far as it is to be believed; nil before the first word.
  private(set) var lastWord: Bool?
  var sends: ([String]) -> Void = { _ in }

  init(_ time: ManualScheduler, _ dice: Dice, _ service: Service, _ faults: Set<Fault>) {
    (self.time, self.dice, self.service, self.faults) = (time, dice, service, faults)
  }

  private var carrier: Carrier?

  func carry(_ wire: ScriptedTransport) -> any Transport {
    let new = Carrier(self, wire)
    carrier = new
    return new
  }

  /// Its process is gone. What exchanges hold would hold it in memory otherwise, and its rows with it.
  func end() {
    carrier?.wire = nil
    carrier = nil
  }

  private final class Carrier: Transport, @unchecked Sendable {
    let network: Network
    var wire: ScriptedTransport?
    init(_ network: Network, _ wire: ScriptedTransport) { (self.network, self.wire) = (network, wire) }

    func send(_ request: HTTPRequest, completion: @escaping @Sendable (ScriptedTransport.Answer) -> Void) -> any Cancellable {
      guard let wire else { return Nothing() }
      return network.send(request, wire, completion)
    }
    func openStream(_ request: HTTPRequest, handler: any StreamHandler) -> any Cancellable {
      wire?.openStream(request, handler: handler) ?? Nothing()
    }
  }

  private final class Nothing: Cancellable {
    func cancel() {}
  }

  /// The first answer to a request, which is the one that counts.
  private final class First: @unchecked Sendable {
    var hasCome = false
    /// What the service said, where the client is told something else.
    var hidden: HTTPResponse?
  }

  private static func ids(_ request: HTTPRequest) -> [String] {
    request.method == "GET"
      ? [] : request.text.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
  }

  private func send(
    _ request: HTTPRequest, _ wire: ScriptedTransport, _ completion: @escaping @Sendable (ScriptedTransport.Answer) -> Void
  ) -> any Cancellable {
    let first = First()
    let ids = Self.ids(request)
    sends(ids)
    underWay[ObjectIdentifier(first)] = ids
    let exchange = wire.send(request) { [weak self] answer in
      if !first.hasCome {
        first.hasCome = true
        self?.hear(answer, request, ids, first)
      }
      completion(answer)
    }
    guard let exchange = exchange as? ScriptedExchange else { return exchange }
    if !faults.contains(.waitsForEver) {
      _ = time.schedule(afterMilliseconds: request.timeoutMilliseconds) {
        exchange.complete(.failure(TransportFailure(.timeout, "no answer in time")))
      }
    }
    travel(request, exchange, first)
    return exchange
  }

  private var isLost: Bool {
    switch way {
    case .open: false
    case .bad: dice.happens(oneIn: 3)
    case .cut: true
    }
  }

  private var delay: Int64 { dice.milliseconds(way == .bad ? 1...40_000 : 1...200) }

  private func travel(_ request: HTTPRequest, _ exchange: ScriptedExchange, _ first: First) {
    if isLost {
      if dice.happens(oneIn: 2) { exchange.complete(.failure(TransportFailure(.unreachable, "unreachable"))) }
      return
    }
    _ = time.schedule(afterMilliseconds: delay) { [self] in
      let answer = service.answer(request)
      guard !isLost else { return }
      _ = time.schedule(afterMilliseconds: delay) { [self] in arrive(answer, request, exchange, first) }
    }
  }

  private func arrive(_ answer: HTTPResponse, _ request: HTTPRequest, _ exchange: ScriptedExchange, _ first: First) {
    let hides = faults.contains(.hidesFailures) && request.method == "GET" && answer.status != 200
    let told = hides ? HTTPResponse(status: 304) : answer
    if hides { first.hidden = answer }
    if exchange.isEnded { serveLate(answer) } else { exchange.complete(.success(told)) }
    guard dice.happens(oneIn: 4) else { return }
    _ = time.schedule(afterMilliseconds: delay) { [self] in
      exchange.completeUnduly(.success(told))
      serveLate(answer)
    }
  }

  private func serveLate(_ answer: HTTPResponse) {
    guard faults.contains(.servesLateAnswers), let process, process.isAlive, process.documents.served != nil,
      let number = Documents.number(answer.body)
    else { return }
    process.documents.serve(number, from: .service)
  }

  private func hear(_ answer: ScriptedTransport.Answer, _ request: HTTPRequest, _ ids: [String], _ first: First) {
    underWay[ObjectIdentifier(first)] = nil
    if case .failure(let failure) = answer, failure.kind == .cancelled { return }
    guard request.method == "GET" else {
      if case .success(let response) = answer, response.status == 202 { process?.told.formUnion(ids) }
      return
    }
    switch answer {
    case .success(let told):
      let response = first.hidden ?? told
      lastWord = response.status == 200 && Documents.number(response.body) != nil
    case .failure: lastWord = false
    }
  }
}
