internal import HoistBase
internal import HoistCore

/// How a visitor is opened.
enum VisitorOptions {
  /// How long the store may take to tell what it has of a visitor.
  static let lookUpMilliseconds: Int64 = 500

  static func generateCode(_ host: any ProviderHost) -> [UInt8] {
    func make(_ entropy: some Entropy) -> [UInt8] { VisitorCode.generate(entropy) }
    return make(host.entropy)
  }
}

/// Opening visitors (KAM-09, KAM-11, KAM-12, KAM-14).
extension VisitorRegistry {
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
    let (visitor, restored) = open(code, of: client, isAskedFor: true)
    if waits { _ = restored?.wait(untilNanoseconds: deadline) }
    return visitor
  }

  /// - Returns: who is told when what an earlier run has left was taken over.
  private func open(_ code: [UInt8], of client: Client, isAskedFor: Bool) -> (KameleoonVisitor, Answer<Bool>?) {
    let found = places.open(code) {
      VisitorData(code: code, now: host.clock.unixMilliseconds)
    } make: { data, isUnique in
      KameleoonVisitor(
        client: client, registry: self, code: code, data: data,
        isUnique: isUnique ?? (settings.isUniqueIdentifier || data.read { $0.code == code && $1.isUnique }))
    }
    if found.isNew {
      let length = VisitorCode.length(of: code)
      if length > VisitorCode.documentedLength {
        host.log.warning("a visitor code of \(length) characters: the service documents \(VisitorCode.documentedLength) at most")
      }
      if !isAskedFor { found.visitor.isAskedFor = false }
      restore(found.visitor, found.restored)
    }
    if isAskedFor, found.isNew || !found.visitor.isAskedFor {
      found.visitor.isAskedFor = true
      tracker.opened(found.visitor)
    }
    return (found.visitor, found.restored)
  }

  /// The visitor stays until the store has answered: what it is told meanwhile must not take the place of what is kept.
  private func restore(_ visitor: KameleoonVisitor, _ restored: Answer<Bool>?) {
    let (code, data) = (visitor.code, visitor.data)
    data.beginRestoring()
    let tell: @Sendable (Bool) -> Void = { [weak self] isFound in
      if data.endRestoring() { self?.storage.changed(data) }
      restored?.give(isFound)
      if let self, own.current?.code == code { ownIsThere() }
    }
    storage.load(code) { [weak self] record in
      // Where it was linked meanwhile, what it had before is gone.
      guard let self, let record, visitor.data === data else { return tell(false) }
      switch record {
      case .visitor(let content, let rest):
        if rest.isUnique { setUnique(true, visitor) }
        take(into: data, for: code) { $0.restore(content, rest) }
        tell(true)
      case .link(let owner, let isUnique):
        if isUnique { setUnique(true, visitor) }
        share(visitor, owner, linksLeft: 4) { tell(true) }
      }
    }
  }

  /// A visitor shares the data that is kept under another code.
  private func share(
    _ visitor: KameleoonVisitor, _ owner: [UInt8], linksLeft: Int, completion: @escaping @Sendable () -> Void
  ) {
    if let data = places.data(of: owner) {
      join(visitor, data)
      return completion()
    }
    let own = visitor.data
    storage.load(owner) { [weak self] record in
      guard let self, visitor.data === own else { return completion() }
      switch record {
      case .visitor(let content, let rest):
        let new = VisitorData(code: owner, now: host.clock.unixMilliseconds)
        let data = places.keep(new, of: owner)
        if data === new { take(into: data, for: owner) { $0.restore(content, rest) } }
        join(visitor, data)
        completion()
      case .link(let next, _) where linksLeft > 0 && next != owner && next != visitor.code:
        share(visitor, next, linksLeft: linksLeft - 1, completion: completion)
      case .link, nil: completion()
      }
    }
  }

  /// What a visitor was told before its link was read is everybody's who shares the data.
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
    let isUnique = places.openVisitor(code)?.isUnique ?? data.read { $1.isUnique }
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

  /// The client speaks for that visitor from now on; on the scheduler's thread.
  /// - Parameter isAskedFor: whether a host has named it.
  func becomeOwn(_ code: [UInt8], isAskedFor: Bool, completion: @escaping @Sendable (Status) -> Void = { _ in }) {
    guard let client = host.client else { return completion(.cancelled) }
    guard VisitorCode.isValid(code) else { return completion(.kameleoonVisitorCodeInvalid) }
    let (visitor, restored) = open(code, of: client, isAskedFor: isAskedFor)
    guard let context = EvaluationContext(targetingKey: code, attributes: []).reference() else { return completion(.limit) }
    if own.replace(with: visitor) { host.setCurrentContext(context) }
    if restored?.isGiven != false { ownIsThere() }
    completion(.ok)
  }

  /// Another targeting key is another visitor; its attributes are not looked at: what is told of a visitor is added to it.
  func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    let (key, _) = EvaluationContext(copying: context.frozen).content
    guard let code = key ?? own.current?.code else { return completion(.argument) }
    becomeOwn(code, isAskedFor: true) { [host] status in
      if status == .ok { host.notify(Notification(.contextChanged)) }
      completion(status)
    }
  }
}
