internal import HoistBase
public import HoistCore

/// Why no visitor could be made.
public struct KameleoonCreationFailure: Error, Sendable {
  public var status: Status
  public var message: String
}

/// The sites of the process, as the vendor's factory keeps them: one shared client of a site code and an environment (KAM-09
/// to KAM-14, KAM-B28). Thread-safe.
public struct KameleoonSites: Sendable {
  private let clients: SharedClients

  public init(_ clients: SharedClients = .process) { self.clients = clients }

  /// Without an environment it is production's (§7-A10).
  static func name(_ siteCode: String, _ environment: String) -> [UInt8] {
    Array("kameleoon/\(siteCode)/\(environment.isEmpty ? "production" : environment)".utf8)
  }

  /// - Parameters:
  ///   - visitorCode: nil for the client's own visitor.
  ///   - values: the configuration, of which the site's first one counts.
  ///   - isGiven: whether the host has one of its own, which is to be compared.
  public func create(
    siteCode: String, visitorCode: [UInt8]?, values: PropertyValues, isGiven: Bool, plugins: Plugins, services: ClientServices
  ) throws(KameleoonCreationFailure) -> KameleoonVisitor {
    guard !siteCode.isEmpty else {
      throw KameleoonCreationFailure(status: .kameleoonSiteCodeIsEmpty, message: "the site code is empty")
    }
    if let visitorCode, !VisitorCode.isValid(visitorCode) { throw Self.invalidCode }
    let client: Client
    do throws(ConfigurationFailure) {
      var values = values
      try values.set("site_code", siteCode)
      client = try self.client(Self.name(siteCode, values.text("environment")), values, isGiven, plugins, services)
    } catch {
      throw KameleoonCreationFailure(status: .configuration, message: error.message)
    }
    guard let face = KameleoonFace(client) else {
      throw KameleoonCreationFailure(status: .unsupported, message: "the client is none of Kameleoon's")
    }
    do throws(Status) {
      let visitor = try face.visitor(visitorCode)
      let isUnique = values.boolean("is_unique_identifier")
      if values.isSet("is_unique_identifier"), visitor.isUnique != isUnique {
        visitor.isUnique = isUnique
        _ = visitor.add([.uniqueIdentifier(isUnique)])
      }
      return visitor
    } catch {
      throw error == .kameleoonVisitorCodeInvalid
        ? Self.invalidCode : KameleoonCreationFailure(status: error, message: "the site is being forgotten")
    }
  }

  private static var invalidCode: KameleoonCreationFailure {
    KameleoonCreationFailure(
      status: .kameleoonVisitorCodeInvalid,
      message: "the visitor code is empty, or longer than \(VisitorCode.maximumLength) characters")
  }

  private func client(
    _ name: [UInt8], _ values: PropertyValues, _ isGiven: Bool, _ plugins: Plugins, _ services: ClientServices
  ) throws(ConfigurationFailure) -> Client {
    if let known = clients.client(named: name) {
      if known.isClosed { _ = known.reopen() }
      if isGiven { Self.warn(known, of: values) }
      return known
    }
    var shared = values
    // Each visitor's own, and none of those to come.
    try shared.set("is_unique_identifier", "false")
    let new = try Client(factory: KameleoonFactory(), values: shared, plugins: plugins, services: services)
    let kept = clients.share(new, asFirst: name)
    // Another thread was quicker: the first one counts.
    if kept === new { new.open() } else { new.dispose() }
    return kept
  }

  private static func warn(_ known: Client, of values: PropertyValues) {
    let shared = values.table.filter { $0.name != "is_unique_identifier" && $0.name != "visitor_code" }
    guard let other = shared.first(where: { values.shown($0.name) != known.values.shown($0.name) }) else { return }
    known.log.warning(
      "the site is there already, with its first configuration: property \"\(other.name)\" of this one says something else")
  }

  /// Closes a site's client (KAM-B28).
  /// - Returns: `.notFound` when there is none.
  public func forget(siteCode: String, environment: String, timeoutMilliseconds: Int64) -> Status {
    if Thread.isOwn { return .state }
    return clients.close(Self.name(siteCode, environment), timeoutMilliseconds: timeoutMilliseconds) ?? .notFound
  }
}
