internal import HoistBase
internal import HoistCore

/// Making visitors (FS-30 to FS-37; protocols/flagship.md 5.3).
extension FlagshipVisitorRegistry {
  /// - Parameter waits: whether the visitor is returned when the look-up in the cache has ended, which its timeout limits.
  ///   Otherwise that ends later, and is announced; fetches wait for it.
  /// - Returns: nil when memory ran out.
  func make(_ options: VisitorOptions, for client: Client, waits: Bool) -> FlagshipVisitor? {
    let waits = waits && !Thread.isOwn
    let limit = waits ? settings.visitors.lookUpTimeoutMilliseconds : 0
    let deadline = Deadline.nanoseconds(afterMilliseconds: limit)
    guard let visitor = bare(options, for: client, untilNanoseconds: deadline) else { return nil }
    let state = visitor.snapshotOfState
    let found = lookUp(options, visitor, state)
    if waits { _ = found?.wait(untilNanoseconds: deadline) }
    if options.isShared {
      shared.replace(with: visitor)
      if visitor.snapshotOfState.flags.count == 0 { following?.isReplaced() } else { following?.isFound() }
    }
    if options.isAnswer {
      consentGiven(options.hasConsented, state.identity, isForgiven: found != nil, isReported: visitor.refusal == nil)
    } else if found == nil {
      tellConsent(of: visitor)
    }
    return visitor
  }

  /// The consent of a visitor that the host has not answered for is reported (5.6), and changes nothing that is stored.
  private func tellConsent(of visitor: FlagshipVisitor) {
    if visitor.refusal == nil { reports.consent(visitor.hasConsented, visitor.snapshotOfState.identity) }
  }

  /// A visitor that nothing is known of.
  private func bare(_ options: VisitorOptions, for client: Client, untilNanoseconds deadline: Int64) -> FlagshipVisitor? {
    var id = options.id
    if id.isEmpty {
      id = installation.generatedID(untilNanoseconds: deadline)
      client.log.warning("a visitor without an id gets one that is generated: \(String(decoding: id, as: UTF8.self))")
    }
    let identity = VisitorIdentity(
      visitorID: id,
      anonymousID: options.isAuthenticated ? VisitorIdentity.anonymousID(of: id, environment: settings.environmentID) : nil)
    let isFirst = installation.claimFirstVisitor(untilNanoseconds: deadline)
    var pairs = VisitorContext()
    pairs.set(options.context) { client.log.error($0.message) }
    automatic.load(into: &pairs, isFirstTime: isFirst)
    guard let context = automatic.reference(pairs, visitorID: id) else { return nil }
    let content = VisitorState.Content(
      identity: identity, pairs: pairs, context: context, hasConsented: options.hasConsented)
    let visitor = FlagshipVisitor(
      client: client, registry: self, content: content, isFirst: isFirst, listener: options.listener)
    open.add(visitor)
    return visitor
  }

  /// Restores what an earlier run has stored, or the host has exported.
  /// - Returns: completes when the look-up has ended; nil when there is none.
  private func lookUp(_ options: VisitorOptions, _ visitor: FlagshipVisitor, _ state: VisitorState) -> Completion<Bool>? {
    if !options.record.isEmpty {
      take(options.record, of: state.identity.visitorID, for: visitor, state)
      return nil
    }
    if !caching.isOn || !state.hasConsented || status.current == .panic { return nil }
    let ended = Completion<Bool>()
    visitor.lookUpBegins()
    lookUp(state.identity, forgivesRefusal: options.isAnswer) { [self] id, record in
      let isRefused = CachedVisitor.isRefusal(record)
      if isRefused {
        refusals.note(id, isRefusal: true)
        visitor.adoptRefusal()
      }
      take(isRefused ? nil : record, of: id, for: visitor, state)
      if !options.isAnswer { tellConsent(of: visitor) }
      ended.give(true)
    }
    return ended
  }

  /// By the visitor's id, and when nothing is stored under that, by the anonymous one (6.1), in the time of one
  /// look-up.
  private func lookUp(
    _ identity: VisitorIdentity, forgivesRefusal: Bool, completion: @escaping @Sendable ([UInt8], [UInt8]?) -> Void
  ) {
    let caching = caching
    let deadline = caching.lookUpDeadline
    caching.lookUp(identity.visitorID, forgivesRefusal, untilNanoseconds: deadline) { record in
      guard record == nil, let anonymous = identity.anonymousID else { return completion(identity.visitorID, record) }
      caching.lookUp(anonymous, forgivesRefusal, untilNanoseconds: deadline) { completion(anonymous, $0) }
    }
  }

  /// - Parameter id: the visitor that was looked up.
  private func take(_ json: [UInt8]?, of id: [UInt8], for visitor: FlagshipVisitor, _ state: VisitorState) {
    visitor.lookUpEnded(json.flatMap { decided($0, of: id, for: state) }, of: state.identity)
  }

  private func decided(_ json: [UInt8], of id: [UInt8], for state: VisitorState) -> DecidedFlags? {
    do throws(CachedVisitor.Failure) {
      let record = try CachedVisitor(json: json, of: id)
      var found = try? DecidedFlags(.kept(record.campaigns), for: state, campaignOptions)
      // Campaigns that cannot be read leave the assignments, which say more.
      found = found ?? DecidedFlags(flags: .none, history: state.history, source: nil)
      found?.history = record.history
      return found
    } catch {
      host.log.warning(error.message)
      return nil
    }
  }
}

extension CachedVisitor {
  var history: AssignmentHistory {
    var arena: [UInt8] = []
    for assignment in assignments { arena += assignment.groupID + assignment.variationID }
    return arena.withBytes { arena in
      var at = 0
      func next(_ count: Int) -> ByteView {
        defer { at += count }
        return arena.view(from: at, to: at + count)
      }
      return AssignmentHistory(assignments.map { .init(group: next($0.groupID.count), variation: next($0.variationID.count)) })
    }
  }
}
