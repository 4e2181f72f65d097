import CHoist

/// What the service says.
extension Check {
  /// The configuration, and with an address the service.
  static func service(_ configuration: Configuration, _ options: ProviderOptions, _ context: ContextOptions) throws -> [Check] {
    let given = try context.read(for: configuration.traits)
    let session: Session
    do {
      session = try Session(configuration, for: given, isVerbose: options.verbose)
    } catch {
      if !configuration.hasConnection && options.features == nil {
        return [Check("service", .skipped, "none; give \(configuration.traits.connectionOptions)")]
      }
      return [Check("configuration", .failed, message(error)), Check("service", .skipped, "the configuration is refused")]
    }
    let begin = Moment.monotonicMilliseconds
    do {
      try session.waitForFlags(limitMilliseconds: options.timeoutMilliseconds)
    } catch {
      guard configuration.isOnline else { return [Check("configuration", .failed, message(error))] }
      return [Check("service", .failed, message(error) + advice(session, options, context))]
    }
    let took = Moment.monotonicMilliseconds - begin
    let flags = session.allFlags().count
    let known = "\(flags) \(flags == 1 ? "flag" : "flags")"
    if !configuration.isOnline { return [Check("configuration", .ok, "\(known) from \(session.place), without network")] }
    return [
      Check("configuration", .ok, "accepted"),
      Int(session.state) == HOIST_CLIENT_READY && configuration.traits.switchedOff(session.client) == nil
        ? Check("service", .ok, "\(session.place) answered in \(took) ms: \(known)")
        : Check("service", .failed, "\(session.place): \(session.reason() ?? "no answer")"),
    ]
  }

  /// Whether the service takes the same key when it is asked in its other mode, which alone shows what a key is for.
  private static func advice(_ session: Session, _ options: ProviderOptions, _ context: ContextOptions) -> String {
    guard session.log.reason != nil, let other = session.configuration.traits.otherMode(session.configuration),
      let configuration = try? options.configuration(for: .look)
    else { return "" }
    do {
      for (name, value) in other.properties { try configuration.set(name, value, from: name) }
      let second = try Session(configuration, for: context.read(for: configuration.traits))
      try second.waitForFlags(limitMilliseconds: options.timeoutMilliseconds)
      return "; " + other.advice
    } catch {
      return ""
    }
  }

  private static func message(_ error: any Error) -> String { (error as? Problem)?.message ?? "\(error)" }
}
