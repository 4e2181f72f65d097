internal import HoistBase
internal import HoistJSON

/// What events say of their sender (`OPT-91`).
public struct EventClient: Sendable {
  public let name: String
  public let version: String
  let heads = EventHeads()

  public init(name: String, version: String) {
    self.name = name
    self.version = version
  }
}

/// The identity of an event.
public struct EventStamp: Sendable, Equatable {
  /// Milliseconds since 1970.
  public var unixMilliseconds: Int64
  public var uuid: String
  public init(unixMilliseconds: Int64, uuid: String) {
    self.unixMilliseconds = unixMilliseconds
    self.uuid = uuid
  }
}

/// One impression or conversion, ready to be sent alone or with others of its kind (protocols/optimizely.md 3.3).
public struct UserEvent: Sendable, Equatable {
  public var projectID: [UInt8]
  public var revision: [UInt8]
  public var region: OptimizelyRegion
  /// The body up to and with the bracket of `visitors`.
  public var head: [UInt8]
  /// One element of `visitors`.
  public var visitor: [UInt8]
  /// Recorded by a call of its own, which can wait until it is stored; a decision cannot (G1).
  public var isTracked = false

  public init(projectID: [UInt8], revision: [UInt8], region: OptimizelyRegion, head: [UInt8], visitor: [UInt8]) {
    self.projectID = projectID
    self.revision = revision
    self.region = region
    self.head = head
    self.visitor = visitor
  }

  /// The body of a request with this event alone.
  public var body: [UInt8] { head + visitor + Array("]}".utf8) }
}
