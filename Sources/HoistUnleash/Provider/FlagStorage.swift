internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Flags of an earlier run, as they were stored.
struct StoredFlags: Sendable {
  var document: [UInt8]
  var entityTag: String
  var savedUnixMilliseconds: Int64
}

/// Keeps the last good flags for the next run (protocol D.3.7, rows UNL-81, UNL-82, UNL-101): in frontend mode under the
/// address, the key and the context they were evaluated for, in backend mode under the selection of flags instead. On
/// the scheduler's thread.
final class FlagStorage: @unchecked Sendable {
  private let store: Store
  private let options: UnleashSettings
  private var context: [String] = []
  /// What was stored last, by its key.
  private var latest: (key: String, savedUnixMilliseconds: Int64)?
  /// Of `latest`: an older document must not replace a newer one.
  private var generation: UInt64 = 0
  /// Whether the flags served now were given by the host.
  var isBootstrapped = false

  init(store: Store, options: UnleashSettings) {
    self.store = store
    self.options = options
  }

  func contextChanged(_ context: FrontendContext) { self.context = Self.parts(of: context) }

  /// `completion` runs on the scheduler's thread; nil when nothing usable is stored.
  func load(completion: @escaping @Sendable (StoredFlags?) -> Void) {
    let asked = key
    store.load(asked) { [weak self] bytes in
      let flags = bytes.flatMap { Self.decode($0) }
      // The context may have changed meanwhile: these are another one's flags.
      guard let self, asked == self.key else { return completion(nil) }
      if let flags { self.note(asked, flags.savedUnixMilliseconds) }
      completion(flags)
    }
  }

  func save(_ document: [UInt8], entityTag: String, at unixMilliseconds: Int64) {
    note(key, unixMilliseconds)
    store.save(key, Self.encode(StoredFlags(document: document, entityTag: entityTag, savedUnixMilliseconds: unixMilliseconds)))
  }

  /// The service says that what was stored last holds, for the current context and now: it is stored as that.
  func confirm(at unixMilliseconds: Int64) {
    guard let latest else { return }
    let (age, overflow) = unixMilliseconds.subtractingReportingOverflow(latest.savedUnixMilliseconds)
    // Each confirmation writes the whole document: often enough for the time to live is enough.
    guard latest.key != key || options.storageSeconds > 0 && (overflow || age > options.storageSeconds * 250) else { return }
    let mine = generation
    let confirmed = key
    store.load(latest.key) { [weak self] bytes in
      guard let self, mine == self.generation, var flags = bytes.flatMap({ Self.decode($0) }) else { return }
      flags.savedUnixMilliseconds = unixMilliseconds
      self.note(confirmed, unixMilliseconds)
      self.store.save(confirmed, Self.encode(flags))
    }
  }

  private func note(_ key: String, _ savedUnixMilliseconds: Int64) {
    latest = (key, savedUnixMilliseconds)
    generation &+= 1
  }

  private var key: String {
    var hash = SHA256()
    let parts = [options.url?.text ?? "", options.credential] + (options.mode == .frontend ? context : selection)
    for part in parts { hash.update("\(part.utf8.count):\(part)") }
    return "flags.\(options.mode == .frontend ? "frontend" : "backend").\(Hex.encode(hash.finish()))"
  }

  /// Which flags a backend client asks for.
  private var selection: [String] { [options.project, options.namePrefix] + options.tags }

  /// The session id is drawn anew in each run, so it does not count unless the host gave it.
  private static func parts(of context: FrontendContext) -> [String] {
    FrontendRequest.pairs(context).filter { $0.name != "sessionId" || !context.isSessionDrawn }.flatMap { [$0.name, $0.value] }
  }

  /// A line of JSON about the document, then the document itself: it is not parsed to be stored.
  private static func encode(_ flags: StoredFlags) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("etag")
      writer.string(flags.entityTag)
      writer.key("saved")
      writer.int(flags.savedUnixMilliseconds)
    }
    return writer.bytes + [UInt8(ascii: "\n")] + flags.document
  }

  private static func decode(_ bytes: [UInt8]) -> StoredFlags? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let head = try? JSONDocument(parsing: Array(bytes[..<end]))
    else { return nil }
    return head.withRoot { root in
      guard let tag = root["etag"]?.string, let saved = root["saved"]?.int64 else { return nil }
      return StoredFlags(document: Array(bytes[(end + 1)...]), entityTag: tag, savedUnixMilliseconds: saved)
    }
  }
}
