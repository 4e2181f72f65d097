internal import HoistBase
internal import HoistCore

/// Keeps the last good flags for the next run (protocol D.3.7, rows UNL-81, UNL-82, UNL-101): in frontend mode under the
/// address, the key and the context they were evaluated for, in backend mode under the selection of flags instead. On
/// the scheduler's thread.
final class FlagStorage: @unchecked Sendable {
  private let store: Store
  private let options: UnleashSettings
  private let context: () -> FrontendContext?
  /// Of a backend client whose definitions one process fetches for all.
  var shared: SharedFetch?
  /// What was stored last, by its key.
  private var latest: (key: String, savedUnixMilliseconds: Int64)?
  /// Of `latest`: an older document must not replace a newer one.
  private var generation = Generation()

  /// - Parameter context: the current one in frontend mode.
  init(store: Store, options: UnleashSettings, context: @escaping () -> FrontendContext?) {
    self.store = store
    self.options = options
    self.context = context
  }

  /// `completion` runs on the scheduler's thread; nil when nothing usable is stored.
  func load(_ key: String, completion: @escaping @Sendable (StoredDocument?) -> Void) {
    document(key).load(completion: completion)
  }

  /// What is stored under the key is served from now on.
  func adopted(_ stored: StoredDocument, _ key: String) { note(key, stored.savedUnixMilliseconds ?? .min) }

  func save(_ document: [UInt8], under key: String, entityTag: String, at unixMilliseconds: Int64) {
    note(key, unixMilliseconds)
    self.document(key).save(
      StoredDocument(bytes: document, entityTag: entityTag.isEmpty ? nil : entityTag, savedUnixMilliseconds: unixMilliseconds))
  }

  /// The service says that what was stored last holds now, for the context of this key: it is stored as that.
  func confirm(_ key: String, at unixMilliseconds: Int64) {
    guard let latest else { return }
    let (age, overflow) = unixMilliseconds.subtractingReportingOverflow(latest.savedUnixMilliseconds)
    // Each confirmation writes the whole document: often enough for the time to live is enough.
    guard latest.key != key || options.storageSeconds > 0 && (overflow || age > options.storageSeconds * 250) else { return }
    let mine = generation.current
    document(latest.key).load { [weak self] stored in
      guard let self, generation.isCurrent(mine), var stored else { return }
      stored.savedUnixMilliseconds = unixMilliseconds
      note(key, unixMilliseconds)
      document(key).save(stored)
    }
  }

  private func note(_ key: String, _ savedUnixMilliseconds: Int64) {
    latest = (key, savedUnixMilliseconds)
    generation.advance()
  }

  private func document(_ key: String) -> DocumentStorage { DocumentStorage(store: store, key: key, shared: shared) }

  /// Of the flags that the client asks for now.
  var key: String { key(of: context()) }

  /// - Parameter context: nil in backend mode.
  func key(of context: FrontendContext?) -> String {
    var hash = SHA256()
    let parts = [options.url?.text ?? "", options.credential] + (context.map { Self.parts(of: $0) } ?? selection)
    for part in parts { hash.update("\(part.utf8.count):\(part)") }
    return "flags.\(options.mode == .frontend ? "frontend" : "backend").\(Hex.encode(hash.finish()))"
  }

  /// Which flags a backend client asks for.
  private var selection: [String] { [options.project, options.namePrefix] + options.tags }

  /// The session id is drawn anew in each run, so it does not count unless the host gave it.
  private static func parts(of context: FrontendContext) -> [String] {
    FrontendRequest.pairs(context).filter { $0.name != "sessionId" || !context.isSessionDrawn }.flatMap { [$0.name, $0.value] }
  }
}
