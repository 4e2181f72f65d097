internal import HoistBase
internal import HoistCore

/// How a visitor is opened.
enum VisitorOptions {
  /// The longest wait for a visitor's stored record.
  static let lookUpMilliseconds: Int64 = 500
}

/// Opening visitors (KAM-09, KAM-11, KAM-12, KAM-14).
extension KameleoonVisitorRegistry {
  /// - Parameters:
  ///   - code: nil for the client's own.
  ///   - waits: whether what an earlier run has left of it is there when this returns; `VisitorOptions` limits it. Else, and
  ///     on threads of the library's own, it comes later.
  /// - Throws: `.kameleoonVisitorCodeInvalid`.
  func open(_ code: [UInt8]?, of client: Client, waits: Bool) throws(Status) -> KameleoonVisitor {
    let waits = waits && !Thread.isOwn
    let deadline = Deadline.nanoseconds(afterMilliseconds: waits ? VisitorOptions.lookUpMilliseconds : 0)
    let code = code ?? own.code(untilNanoseconds: deadline)
    guard VisitorCode.isValid(code) else { throw .kameleoonVisitorCodeInvalid }
    let (visitor, restored) = open(code, of: client, isNamedByHost: true)
    if waits { _ = restored?.wait(untilNanoseconds: deadline) }
    return visitor
  }

  /// - Returns: what completes when the record of an earlier run was restored.
  private func open(_ code: [UInt8], of client: Client, isNamedByHost: Bool) -> (KameleoonVisitor, Completion<Bool>?) {
    let found = people.open(code) {
      VisitorData(code: code, now: now)
    } make: { data, isUnique in
      KameleoonVisitor(
        client: client, registry: self, code: code, data: data,
        isUnique: isUnique ?? (settings.isUniqueIdentifier || data.read { $0.code == code && $1.isUnique }))
    }
    let visitor = found.handle
    visitor.data.join(visitor)
    if found.isNew {
      let length = VisitorCode.length(of: code)
      if length > VisitorCode.documentedLength {
        host.log.warning("a visitor code of \(length) characters: the service documents \(VisitorCode.documentedLength) at most")
      }
      if !isNamedByHost { visitor.isNamedByHost = false }
      restore(visitor, found.restored)
    }
    if isNamedByHost, found.isNew || !visitor.isNamedByHost {
      visitor.isNamedByHost = true
      tracker.opened(visitor)
    }
    return (visitor, found.restored)
  }

  /// Keeps the visitor alive until the store has answered: data set meanwhile must not overwrite the stored record.
  private func restore(_ visitor: KameleoonVisitor, _ restored: Completion<Bool>?) {
    let (code, data) = (visitor.code, visitor.data)
    data.beginRestoring()
    let tell: @Sendable (Bool) -> Void = { [weak self] isFound in
      if data.endRestoring() { self?.storage.changed(data) }
      restored?.give(isFound)
      if let self, own.current?.code == code { source?.begin() }
    }
    storage.load(code) { [weak self] record in
      // Where it was linked meanwhile, what it had before is gone.
      guard let self, let record, visitor.data === data else { return tell(false) }
      switch record {
      case .visitor(let content, let rest):
        if rest.isUnique { setUnique(true, visitor) }
        data.wasRead(content, rest)
        take(into: data, for: code) { $0.restore(content, rest) }
        tell(true)
      case .link(let owner, let isUnique):
        if isUnique { setUnique(true, visitor) }
        share(visitor, owner, linksLeft: 4) { tell(true) }
      }
    }
  }

  /// A visitor shares the data that is stored under another code.
  func share(
    _ visitor: KameleoonVisitor, _ owner: [UInt8], linksLeft: Int, completion: @escaping @Sendable () -> Void
  ) {
    if let data = people.record(of: owner) {
      join(visitor, data)
      return completion()
    }
    let own = visitor.data
    storage.load(owner) { [weak self] record in
      guard let self, visitor.data === own else { return completion() }
      switch record {
      case .visitor(let content, let rest):
        let new = VisitorData(code: owner, now: now)
        let data = people.keep(new, of: owner)
        if data === new {
          data.wasRead(content, rest)
          take(into: data, for: owner) { $0.restore(content, rest) }
        }
        join(visitor, data)
        completion()
      case .link(let next, _) where linksLeft > 0 && next != owner && next != visitor.code:
        share(visitor, next, linksLeft: linksLeft - 1, completion: completion)
      case .link, nil: completion()
      }
    }
  }

  /// What was recorded for a visitor before its link was read belongs to all that share the data.
  private func join(_ visitor: KameleoonVisitor, _ data: VisitorData) {
    guard let (told, toldRest) = follow(visitor, to: data)?.read({ (copy $0, copy $1) }) else { return }
    take(into: data, for: visitor.code) { draft in
      let (kept, keptRest) = (draft.content, draft.rest)
      (draft.content, draft.rest) = (told, toldRest)
      draft.content.code = kept.code
      draft.restore(kept, keptRest)
    }
  }

  /// On the scheduler's thread.
  private func take(into data: VisitorData, for code: [UInt8], _ body: (inout VisitorDraft) -> Void) {
    let isUnique = people.handle(of: code)?.isUnique ?? data.read { $1.isUnique }
    var linked: [[UInt8]] = []
    data.change(for: code, { environment(isUnique: isUnique) }) { draft in
      body(&draft)
      draft.expire(after: settings.dataExpirationMilliseconds)
    } record: { change in
      if !data.visitors.isEmpty { _ = record(change, of: data) }
      linked = change.linked
    }
    for code in linked { link(code, to: data) }
    storage.changed(data)
  }

  // MARK: The client's own

  /// The client begins with that visitor; or, where it was identified meanwhile or in the parent of a forked child, with the
  /// one that it has. On the scheduler's thread.
  /// - Parameter isNamedByHost: whether a host has named it.
  func beginOwn(_ code: [UInt8], isNamedByHost: Bool) {
    let (code, isNamedByHost) = own.current.map { ($0.code, $0.isNamedByHost) } ?? (code, isNamedByHost)
    _ = becomeOwn(code, isNamedByHost: isNamedByHost, isFirst: true)
  }

  /// The client speaks for that visitor from now on; on the scheduler's thread.
  /// - Parameter isFirst: unless it speaks for one already.
  private func becomeOwn(_ code: [UInt8], isNamedByHost: Bool, isFirst: Bool = false) -> Status {
    host.scheduler.assertCurrent()
    guard let client = host.client else { return .cancelled }
    guard VisitorCode.isValid(code) else { return .kameleoonVisitorCodeInvalid }
    let (visitor, restored) = open(code, of: client, isNamedByHost: isNamedByHost)
    guard let context = EvaluationContext(targetingKey: code, attributes: []).reference() else { return .limit }
    if own.replace(with: visitor, isFirst: isFirst) { host.setCurrentContext(context) }
    if restored?.isGiven != false { source?.begin() }
    return .ok
  }

  /// Another targeting key is another visitor; attributes are ignored: a visitor's data is set with its own calls.
  func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    let (key, _) = EvaluationContext(copying: context.frozen).content
    guard let code = key ?? own.current?.code else { return completion(.argument) }
    completion(becomeOwn(code, isNamedByHost: true))
  }
}
