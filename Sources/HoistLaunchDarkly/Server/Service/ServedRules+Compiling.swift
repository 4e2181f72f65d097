internal import HoistBase
internal import HoistCore

/// A whole set of rules, compiled and not yet served.
struct CompiledRules: Sendable {
  let table: ServerTable
  let update: Result<ServerUpdate, FlagFailure>
  /// Items that were left out.
  let unreadable: [ItemName]

  func discard() {
    if case .success(let update) = update { update.snapshot?.destroy() }
  }
}

/// Whole sets are compiled elsewhere: see `DocumentCompiler`.
extension ServedRules {
  /// Reads a document and serves it.
  /// - Parameters:
  ///   - text: as polls bring it.
  ///   - isNews: it has come from the service.
  ///   - isWanted: asked when it has been read.
  ///   - completion: what became of it, at once or later; not called for one that is not wanted, nor after a stop.
  func put(
    _ text: [UInt8], _ form: ServerTable.Form = .poll, isNews: Bool = false,
    isWanted: @escaping @Sendable () -> Bool = { true }, completion: @escaping @Sendable (FlagOutcome) -> Void
  ) {
    compile(bytes: text.count) { table, old, _ throws(FlagFailure) in
      try Self.read(text) { text throws(FlagFailure) in try table.put(text, form, over: old) }
    } completion: { [self] made in
      guard isWanted() else { return made.discard() }
      switch made.update {
      case .failure(let failure): completion(.refused(failure.reason))
      case .success(let update):
        table = made.table
        completion(take(update, isNews: isNews))
      }
    }
  }

  /// - Parameters:
  ///   - bytes: of all items.
  ///   - body: puts them into a table without any, over what is served; on any thread.
  ///   - completion: gets what that made; not called after a stop.
  func compile(
    bytes: Int,
    _ body: @escaping @Sendable (inout ServerTable, Snapshot?, inout [ItemName]) throws(FlagFailure) -> ServerUpdate,
    completion: @escaping @Sendable (CompiledRules) -> Void
  ) {
    let mine = generation.current
    // A call waits for test data to be served.
    host.compiler.compile(bytes: hasTestData ? 0 : bytes) { [host, empty = table.emptied] in
      host.withPinnedSnapshot { old in
        var (table, unreadable) = (empty, [ItemName]())
        let update = Result { () throws(FlagFailure) in try body(&table, old, &unreadable) }
        return CompiledRules(table: table, update: update, unreadable: unreadable)
      }
    } completion: { [weak self] made in
      if let self, generation.isCurrent(mine) { completion(made) } else { made.discard() }
    }
  }
}
