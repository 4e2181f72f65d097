import Glibc

/// What kind of key there is; never the key.
extension Check {
  static func key(_ configuration: Configuration, _ service: ProviderOptions) -> Check {
    let name = "key"
    let origin: String
    switch configuration.keyOrigin {
    case .none:
      return Check(name, configuration.isOnline ? .warning : .skipped, "none; put it into HOIST_KEY or a file for --key-file")
    case .environment: origin = "from HOIST_KEY"
    case .file(let path): origin = "from \(path)"
    case .argument(let option): origin = "from \(option)"
    case .configuration: origin = "from \(service.config ?? "the configuration")"
    }
    if case .file(let path) = configuration.keyOrigin, isReadableByOthers(path) {
      return Check(name, .warning, "\(kind(service, configuration)), \(origin), which other users may read; chmod 600 it")
    }
    let kind = kind(service, configuration)
    return Check(name, kind.hasPrefix("a personal") ? .warning : .ok, "\(kind), \(origin)")
  }

  private static func isReadableByOthers(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o077 != 0
  }

  /// The key's own words are read again here, because the configuration does not show them.
  private static func kind(_ service: ProviderOptions, _ configuration: Configuration) -> String {
    let key: String?
    switch configuration.keyOrigin {
    case .environment: key = Terminal.variable("HOIST_KEY")
    case .file(let path) where path != "-": key = (try? InputFile.read(path, for: "--key-file")).map { String(decoding: $0, as: UTF8.self) }
    case .argument: key = service.mobileKey
    default: key = nil
    }
    return key.map { configuration.traits.kind(ofKey: $0) } ?? "a key"
  }
}
