import Glibc

/// What kind of key there is; never the key.
extension Check {
  /// Sets the key, too.
  static func key(_ configuration: Configuration, _ service: ProviderOptions) -> Check {
    let name = "key"
    do {
      try service.setKey(in: configuration)
    } catch {
      return Check(name, .failed, (error as? Problem)?.message ?? "\(error)")
    }
    if case .none = configuration.keyOrigin, let variable = getenv("HOIST_KEY"), variable.pointee == 0 {
      return Check(name, .failed, "HOIST_KEY is set, and empty: put the key into it, or into a file for --key-file")
    }
    let origin: String
    switch configuration.keyOrigin {
    case .none:
      return Check(name, configuration.isOnline ? .warning : .skipped, "none; put it into HOIST_KEY or a file for --key-file")
    case .environment: origin = "from HOIST_KEY"
    case .file(let path): origin = "from \(path)"
    case .argument(let option): origin = "from \(option)"
    case .configuration: origin = "from \(service.config ?? "the configuration")"
    }
    let kind = configuration.key.map { configuration.traits.kind(ofKey: $0, in: configuration) } ?? KeyKind("a key")
    if kind.isWrong { return Check(name, .failed, "\(kind.text), \(origin)") }
    if case .file(let path) = configuration.keyOrigin, isReadableByOthers(path) {
      return Check(name, .warning, "\(kind.text), \(origin), which other users may read; chmod 600 it")
    }
    return Check(name, .ok, "\(kind.text), \(origin)")
  }

  private static func isReadableByOthers(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o077 != 0
  }
}
