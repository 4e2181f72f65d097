public import HoistBase
public import HoistCore
public import HoistJSON

/// Conversions (`OPT-63`, protocols/optimizely.md 4.12).
extension OptimizelyUser {
  /// - Parameter tags: an object, or nil.
  /// - Returns: `.optimizelySDKNotReady`, `.optimizelyEventKeyInvalid`, or what became of the event.
  public func track(_ eventKey: ByteView, tags: JSONValue?) -> Status {
    let status = withClient { client, services in
      withSnapshot(of: client) { snapshot, owner in
        services.conversion(eventKey, tags: tags, in: snapshot, context: owner.context)
      }.map { services.send($0) }
    }
    return (status ?? nil) ?? .optimizelySDKNotReady
  }
}

extension VisitorServices {
  /// A conversion and its notification; nil for an unknown event.
  func conversion(
    _ eventKey: ByteView, tags: JSONValue?, in snapshot: Snapshot, context: FrozenContext?
  ) -> (event: UserEvent, news: OptimizelyNews?)? {
    let event = OptimizelyConversions.event(
      eventKey, tags: tags, in: snapshot, context: context, client: origin.client, stamp: origin.stamp())
    guard let event else { return nil }
    guard notifications.wanted.contains(.track) else { return (event, nil) }
    return (
      event,
      OptimizelyNotices.track(eventKey: eventKey, tags: tags, context: context, event: event, url: origin.url(event.region))
    )
  }

  func send(_ conversion: (event: UserEvent, news: OptimizelyNews?)?) -> Status {
    guard let conversion else { return .optimizelyEventKeyInvalid }
    let status = record([conversion.event])
    if let news = conversion.news { notifications.post(news) }
    return status
  }
}
