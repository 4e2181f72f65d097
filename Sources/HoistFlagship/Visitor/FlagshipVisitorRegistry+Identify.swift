internal import HoistBase
internal import HoistCore

/// The calls of the core: the shared visitor is the client's current context.
extension FlagshipVisitorRegistry {
  /// Another targeting key is another visitor; the same one, or none, a change of its context. Then flags are fetched. On
  /// the scheduler's thread.
  func identify(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    // A visitor is not made before it is known whether it is the first one (FS-109).
    installation.whenTold(withinMilliseconds: settings.visitors.lookUpTimeoutMilliseconds) { [self] in
      become(context, completion)
    }
  }

  private func become(_ context: ContextReference, _ completion: @escaping @Sendable (Status) -> Void) {
    guard let client = host.client else { return completion(.cancelled) }
    let (key, attributes) = EvaluationContext(copying: context.frozen).content
    let pairs = attributes.filter { !$0.name.withBytes { ReservedKey.isOne($0) } }
    let known = shared.current
    let visitor: FlagshipVisitor
    if let known, key.map({ $0 == known.id }) ?? true {
      // The same visitor with the same pairs: what is served is what a fetch would bring.
      let isSame = host.currentContext.map { context.frozen.says(theSameAs: $0.frozen) } ?? false
      if isSame, known.fetchStatus == .fetched { return completion(.ok) }
      // A fetch that is under way for them is awaited.
      if isSame { return known.begin(client, self, completion) }
      _ = known.replaceContext(pairs)
      visitor = known
    } else {
      // What is not awaited any more.
      if let known, known === identified { known.giveUpFetch() }
      var options = VisitorOptions(id: key ?? [], hasConsented: key.map { consent(of: $0) } ?? settings.visitors.hasConsented)
      options.isAnswer = false
      options.context = pairs
      guard let new = make(options, for: client, waits: false) else { return completion(.limit) }
      visitor = new
      identified = new
    }
    identifyCount &+= 1
    let number = identifyCount
    visitor.begin(client, self) { [weak self] status in
      completion(status == .ok && self?.identifyCount != number ? .superseded : status)
    }
  }
}
