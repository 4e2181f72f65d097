import CHoist

/// A client that sends what other processes have recorded.
extension Session {
  convenience init(forwarding service: ProviderOptions, _ prepare: (Configuration) throws -> Void) throws {
    let configuration = try service.configuration(for: .forward)
    guard configuration.isOnline else {
      throw Problem(.usage, "forward needs a service to send to: give \(configuration.traits.connectionOptions)")
    }
    try prepare(configuration)
    try self.init(configuration, isVerbose: service.verbose)
  }

  /// - Throws: a problem when the service refuses the client for good.
  func expectAttempts() throws {
    guard Int(state) == HOIST_CLIENT_FATAL else { return }
    throw Problem(.network, "\(place): \(reason() ?? "the service refuses this client")")
  }

  var statistics: JSON { LibraryText(hoist_client_statistics(client)).flatMap { JSON(parsing: $0) } ?? .null }
}
