/// Who sends events, when, and where to. Immutable; shared by all calls of a client.
public final class EventOrigin: Sendable {
  public let client: EventClient
  /// Asked once for each event.
  public let stamp: @Sendable () -> EventStamp
  /// The address that events of a region are posted to, as listeners are told.
  public let url: @Sendable (OptimizelyRegion) -> String

  public init(
    client: EventClient, stamp: @escaping @Sendable () -> EventStamp,
    url: @escaping @Sendable (OptimizelyRegion) -> String = { $0.eventsURL.description }
  ) {
    self.client = client
    self.stamp = stamp
    self.url = url
  }
}
