internal import HoistBase
public import HoistCore

/// Why no visitor could be made.
public struct KameleoonCreationFailure: Error, Sendable {
  public var status: Status
  public var message: String
}

/// The sites of the process, as the vendor's factory keeps them: one client of a site code and an environment (KAM-09 to KAM-14,
/// KAM-B28). Thread-safe.
public final class KameleoonSites: Sendable {
  public static let shared = KameleoonSites()

  private struct Key: Hashable {
    var siteCode: [UInt8]
    var environment: [UInt8]

    /// Without an environment it is production's (§7-A10).
    init(_ siteCode: String, _ environment: String) {
      self.siteCode = Array(siteCode.utf8)
      self.environment = Array((environment.isEmpty ? "production" : environment).utf8)
    }
  }

  private struct State {
    var clients: [Key: Client] = [:]
    /// Their handles were lent to the host for good.
    var lent: [Client] = []
  }

  private let state = LockedValue(State())

  public init() {}

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
      client = try self.client(Key(siteCode, values.text("environment")), values, isGiven, plugins, services)
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
      status: .kameleoonVisitorCodeInvalid, message: "the visitor code is empty, or longer than \(VisitorCode.maximumLength) characters")
  }

  private func client(
    _ key: Key, _ values: PropertyValues, _ isGiven: Bool, _ plugins: Plugins, _ services: ClientServices
  ) throws(ConfigurationFailure) -> Client {
    if let known = state.withLock({ $0.clients[key] }) {
      if known.state == .closed { _ = known.reopen() }
      if isGiven { Self.warn(known, of: values) }
      return known
    }
    var shared = values
    // Each visitor's own, and none of those to come.
    try shared.set("is_unique_identifier", "false")
    let new = try Client(factory: KameleoonFactory(), values: shared, plugins: plugins, services: services)
    let kept = state.withLock { state in
      let kept = state.clients[key] ?? new
      state.clients[key] = kept
      return kept
    }
    // Another thread was quicker: the first one counts.
    if kept === new { new.open() } else { new.dispose() }
    return kept
  }

  private static func warn(_ known: Client, of values: PropertyValues) {
    let shared = values.table.filter { $0.name != "is_unique_identifier" && $0.name != "visitor_code" }
    guard let other = shared.first(where: { values.shown($0.name) != known.values.shown($0.name) }) else { return }
    known.log.warning("the site is there already, with its first configuration: property \"\(other.name)\" of this one says something else")
  }

  /// Closes a site's client (KAM-B28).
  /// - Returns: `.notFound` when there is none.
  public func forget(siteCode: String, environment: String, timeoutMilliseconds: Int64) -> Status {
    if Thread.isOwn { return .state }
    let found = state.withLock { state -> (client: Client, isLent: Bool)? in
      guard let client = state.clients.removeValue(forKey: Key(siteCode, environment)) else { return nil }
      let isLent = state.lent.contains { $0 === client }
      (client.provider as? KameleoonProvider)?.isForgotten = !isLent
      return (client, isLent)
    }
    guard let found else { return .notFound }
    let status = found.client.close(timeoutMilliseconds: timeoutMilliseconds)
    if !found.isLent { found.client.dispose() }
    return status
  }

  /// The host has the client's handle from now on: a client of a site stays then, closed, when it is forgotten.
  /// - Returns: false for one that is forgotten already, and goes.
  public func lend(_ client: Client) -> Bool {
    state.withLock { state in
      if (client.provider as? KameleoonProvider)?.isForgotten == true { return false }
      if state.clients.values.contains(where: { $0 === client }), !state.lent.contains(where: { $0 === client }) {
        state.lent.append(client)
      }
      return true
    }
  }
}
