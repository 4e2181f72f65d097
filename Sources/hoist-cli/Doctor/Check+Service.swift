import CHoist

/// What the service says.
extension Check {
  /// The configuration, and with an address the service.
  static func service(_ configuration: Configuration, _ options: ProviderOptions, for context: Context) -> [Check] {
    let session: Session
    do {
      session = try Session(configuration, for: context, isVerbose: options.verbose)
    } catch let problem as Problem {
      if !configuration.hasConnection && options.features == nil {
        return [Check("service", .skipped, "none; give \(configuration.traits.connectionOptions)")]
      }
      return [Check("configuration", .failed, problem.message), Check("service", .skipped, "the configuration is refused")]
    } catch {
      return [Check("configuration", .failed, "\(error)")]
    }
    let begin = Moment.monotonicMilliseconds
    do {
      try session.waitForFlags(limitMilliseconds: options.timeoutMilliseconds)
    } catch let problem as Problem {
      return [Check(problem.kind == .network ? "service" : "configuration", .failed, problem.message)]
    } catch {
      return [Check("service", .failed, "\(error)")]
    }
    let took = Moment.monotonicMilliseconds - begin
    let flags = session.allFlags().count
    let known = "\(flags) \(flags == 1 ? "flag" : "flags")"
    if !configuration.isOnline { return [Check("configuration", .ok, "\(known) from \(session.place), without network")] }
    return [
      Check("configuration", .ok, "accepted"),
      Int(session.state) == HOIST_CLIENT_READY
        ? Check("service", .ok, "\(session.place) answered in \(took) ms: \(known)")
        : Check("service", .failed, "\(session.place): \(session.book.reason ?? "no answer")"),
    ]
  }
}
