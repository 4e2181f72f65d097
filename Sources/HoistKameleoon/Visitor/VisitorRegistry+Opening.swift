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
    let (visitor, restored) = open(code, of: client)
    if waits { _ = restored?.wait(untilNanoseconds: deadline) }
    return visitor
  }

  /// - Returns: who is told when what an earlier run has left was taken over.
  private func open(_ code: [UInt8], of client: Client) -> (KameleoonVisitor, Answer<Bool>?) {
    let found = places.open(code) {
      VisitorData(code: code, now: host.clock.unixMilliseconds)
    } make: { data in
      KameleoonVisitor(
        client: client, registry: self, code: code, data: data,
        isUnique: settings.isUniqueIdentifier || data.read { $0.code == code && $1.isUnique })
    }
    if found.isNew {
      let length = VisitorCode.length(of: code)
      if length > VisitorCode.documentedLength {
        host.log.warning("a visitor code of \(length) characters: the service documents \(VisitorCode.documentedLength) at most")
      }
      restore(found.visitor, found.restored)
      tracker.opened(found.visitor)
    }
    return (found.visitor, found.restored)
  }

  private func restore(_ visitor: KameleoonVisitor, _ restored: Answer<Bool>?) {
    let code = visitor.code
    let tell: @Sendable (Bool) -> Void = { [weak self] isFound in
      restored?.give(isFound)
      if let self, own.current?.code == code { ownIsThere() }
    }
    storage.load(code) { [weak self, weak visitor] record in
      guard let self, let visitor, let record else { return tell(false) }
      switch record {
      case .visitor(let content, let rest):
        if rest.isUnique { visitor.isUnique = true }
        restore(content, rest, to: visitor.data, for: code)
        tell(true)
      case .link(let owner, let isUnique):
        if isUnique { visitor.isUnique = true }
        share(visitor, owner, linksLeft: 4) { tell(true) }
      }
    }
  }

  /// A visitor shares the data that is kept under another code.
  private func share(
    _ visitor: KameleoonVisitor, _ owner: [UInt8], linksLeft: Int, completion: @escaping @Sendable () -> Void
  ) {
    if let data = places.data(of: owner) {
      follow(visitor, to: data)
      return completion()
    }
    storage.load(owner) { [weak self, weak visitor] record in
      defer { completion() }
      guard let self, let visitor else { return }
      switch record {
      case .visitor(let content, let rest):
        let new = VisitorData(code: owner, now: host.clock.unixMilliseconds)
        let data = places.keep(new, of: owner)
        if data === new { restore(content, rest, to: data, for: owner) }
        follow(visitor, to: data)
      case .link(let next, _) where linksLeft > 0 && next != owner && next != visitor.code:
        share(visitor, next, linksLeft: linksLeft - 1) {}
      case .link, nil: break
      }
    }
  }

  /// On the scheduler's thread.
  private func restore(_ content: VisitorFacts.Content, _ rest: VisitorRest, to data: VisitorData, for code: [UInt8]) {
    let host = host
    var (tracked, linked): ([TrackedDatum], [[UInt8]]) = ([], [])
    data.change(for: code, environment) { draft in
      draft.restore(content, rest)
      draft.expire(after: settings.dataExpirationMilliseconds)
    } record: { draft in
      for complaint in draft.complaints { host.log.error(complaint) }
      (tracked, linked) = (draft.tracked, draft.linked)
    }
    storage.changed(data)
    for code in linked { link(code, to: data) }
    guard let visitor = data.visitors.first else { return }
    for datum in tracked { tracker.record(datum, of: visitor) }
  }

  // MARK: The client's own

  /// The client speaks for that visitor from now on; on the scheduler's thread.
  func becomeOwn(_ code: [UInt8], completion: @escaping @Sendable (Status) -> Void = { _ in }) {
    guard let client = host.client else { return completion(.cancelled) }
    guard VisitorCode.isValid(code) else { return completion(.kameleoonVisitorCodeInvalid) }
    let (visitor, restored) = open(code, of: client)
    guard let context = EvaluationContext(targetingKey: code, attributes: []).reference() else { return completion(.limit) }
    if own.replace(with: visitor) { host.setCurrentContext(context) }
    if restored?.isGiven != false { ownIsThere() }
    completion(.ok)
  }

  /// Another targeting key is another visitor; its attributes are not looked at: what is told of a visitor is added to it.
  func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    let (key, _) = EvaluationContext(copying: context.frozen).content
    guard let code = key ?? own.current?.code else { return completion(.argument) }
    becomeOwn(code) { [host] status in
      if status == .ok { host.notify(Notification(.contextChanged)) }
      completion(status)
    }
  }
}
