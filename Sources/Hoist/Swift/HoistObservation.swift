public import HoistCore

/// A registration of an observer; it lasts until `cancel`, or until the client closes.
public struct HoistObservation: Sendable {
  private weak let client: Client?
  private let token: UInt64

  init(_ client: Client, _ token: UInt64) {
    self.client = client
    self.token = token
  }

  /// No new call begins afterwards. May be repeated.
  public func cancel() { _ = client?.unobserve(token) }
}

extension HoistClient {
  /// Tells `body` of what happens, one call at a time, on the client's delivery lane or in `dispatch`.
  ///
  /// - Parameter key: for `.flagChanged` and `.impression`: the one flag; nil means all.
  @discardableResult
  public func observe(
    _ topic: HoistTopic, key: String? = nil, _ body: @escaping @Sendable (HoistNotification) -> Void
  ) -> HoistObservation {
    HoistObservation(client, client.observe(topic, key: key, ClosureObserver(body)))
  }

  /// Readable while calls wait for `dispatch`, with the property `dispatch` = "manual"; -1 otherwise.
  public var dispatchDescriptor: Int32 { client.dispatchDescriptor }

  /// Runs waiting observers, completions and log lines on the calling thread.
  /// - Parameter limit: most calls to run; 0 means all that wait now.
  /// - Returns: how many ran.
  @discardableResult
  public func dispatch(limit: Int = 0) -> Int { client.dispatch(limit: limit) }
}
