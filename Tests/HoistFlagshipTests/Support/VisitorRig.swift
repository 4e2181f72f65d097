import HoistBase
import HoistCore
import HoistTestSupport

@testable import HoistFlagship

/// What a visitor's listener was told, in order.
final class HeardFetches: VisitorListener {
  struct Fetch: Equatable, Sendable, CustomStringConvertible {
    var status: FetchStatus
    var reason: FetchReason
    var description: String { "\(status.name) \(reason.name)" }
  }

  private let kept = Locked<[Fetch]>([])

  func fetchStatusChanged(_ visitor: FlagshipVisitor, _ status: FetchStatus, _ reason: FetchReason) {
    kept.change { $0.append(Fetch(status: status, reason: reason)) }
  }

  /// Since the last time.
  func take() -> [String] {
    var taken: [Fetch] = []
    kept.change {
      taken = $0
      $0 = []
    }
    return taken.map(\.description)
  }
}

func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

extension FlagshipRig {
  /// A visitor whose look-up, if there is one, has ended.
  func visitor(
    _ id: String, consent: Bool = true, listener: HeardFetches? = nil, _ change: (inout VisitorOptions) -> Void = { _ in }
  ) throws -> FlagshipVisitor {
    var options = VisitorOptions(id: Array(id.utf8), hasConsented: consent)
    options.listener = listener
    change(&options)
    guard let visitor = provider.visitors.make(options, for: client, waits: false) else { throw Missing() }
    settle { visitor.lock.withLock { visitor.turns.afterLookUp == nil } }
    return visitor
  }

  /// Fetches, and waits for the end.
  func fetch(_ visitor: FlagshipVisitor) -> Status? {
    let ended = Locked<Status?>(nil)
    let status = visitor.fetch { ended.value = $0 }
    guard status == .ok else { return status }
    settle { ended.value != nil }
    return ended.value
  }

  /// How often a text stands in the hits that the service has got by now.
  func sent(_ wanted: String) -> Int {
    scheduler.advance(milliseconds: 5_000)
    for _ in 0..<10 { scheduler.run() }
    return transport.requests.reduce(0) { $0 + $1.text.components(of: wanted) }
  }

  /// What the listener was told by now.
  func take(_ heard: HeardFetches) -> [String] {
    scheduler.run()
    _ = client.dispatch(limit: 100)
    return heard.take()
  }
}

extension String {
  /// How often another text stands in this one.
  fileprivate func components(of wanted: String) -> Int {
    let (bytes, part) = (Array(utf8), Array(wanted.utf8))
    guard !part.isEmpty, bytes.count >= part.count else { return 0 }
    return (0...(bytes.count - part.count)).filter { bytes[$0..<($0 + part.count)].elementsEqual(part) }.count
  }
}

extension FlagshipVisitor {
  var fetchProgress: (status: FetchStatus, reason: FetchReason) { (fetchStatus, fetchReason) }
}
