internal import HoistBase
internal import HoistCore
internal import Synchronization

/// The service's clock as last seen in the `Date` header of an answer to events (2.4, 4.4.3). Any thread.
final class ServerTime: Sendable {
  /// Milliseconds since 1970; `Int64.min` before the first answer.
  private let last = Atomic<Int64>(.min)
  private let goesBack: Bool

  /// - Parameter goesBack: an earlier time counts, too, as it does for servers.
  init(goesBack: Bool = false) { self.goesBack = goesBack }

  private static let furthestAheadMilliseconds: Int64 = 86_400_000

  /// Only a later time counts to a client, and none of more than a day ahead: it would end debugging for good (contract 9).
  func learn(from response: HTTPResponse, nowUnixMilliseconds: Int64) {
    guard let text = response.headers.value(of: "Date"),
      let seconds = HTTPDate.parse(text, nowUnixSeconds: nowUnixMilliseconds / 1000)
    else { return }
    let told = seconds.multipliedReportingOverflow(by: 1000)
    let ahead = told.partialValue.subtractingReportingOverflow(nowUnixMilliseconds)
    guard !told.overflow, !ahead.overflow, ahead.partialValue <= Self.furthestAheadMilliseconds else { return }
    set(told.partialValue)
  }

  func set(_ unixMilliseconds: Int64) {
    if goesBack { last.store(unixMilliseconds, ordering: .relaxed) } else { last.max(unixMilliseconds, ordering: .relaxed) }
  }

  /// Whether a flag is still debugged: by both clocks, so that a wrong local one does not prolong it forever.
  func isBefore(_ end: Int64, nowUnixMilliseconds: Int64) -> Bool {
    end > nowUnixMilliseconds && end > last.load(ordering: .relaxed)
  }
}
