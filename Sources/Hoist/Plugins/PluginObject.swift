internal import CHoist
internal import Glibc
internal import HoistCore

/// A shared object with plug-ins, in the process for good.
struct PluginObject {
  let path: String
  let name: String
  let version: String?
  let table: hoist_plugin
  let unleash: hoist_unleash_plugin?
  let optimizely: hoist_optimizely_plugin?
  let launchDarkly: hoist_launchdarkly_plugin?
  /// Of the strategies for Unleash.
  let strategyNames: [String]

  private typealias Entry = @convention(c) (UInt32) -> UnsafePointer<hoist_plugin>?
  private static let entryName = "hoist_plugin_entry"
  private static let maximumStrategies = 64

  init(path: String) throws(Refusal) {
    let entry = try Self.entry(of: path)
    let number = UInt32(HOIST_PLUGIN_ABI)
    guard let told = entry(number) else {
      throw .broken(path, "refuses to serve: its \(Self.entryName)(\(number)) returned NULL")
    }
    let read = try Self.read(told, path)
    guard let name = CString.text(read.name), !name.isEmpty else {
      throw .broken(path, "has no name: it is NULL, empty or not UTF-8")
    }
    self.path = path
    self.name = name
    version = CString.text(read.version)
    table = read
    unleash = try Self.part(read.unleash, "hoist_unleash_plugin", path)
    optimizely = try Self.part(read.optimizely, "hoist_optimizely_plugin", path)
    launchDarkly = try Self.part(read.launchdarkly, "hoist_launchdarkly_plugin", path)
    strategyNames = try Self.names(unleash, path)
  }

  /// Loads the file. An object without the entry is unloaded; any other stays, since its code may run, or its `release`
  /// be due, at any time.
  private static func entry(of path: String) throws(Refusal) -> Entry {
    // Without a slash the dynamic linker would search its own folders.
    let file = path.utf8.contains(UInt8(ascii: "/")) ? path : "./" + path
    var status = stat()
    // Opening a pipe would wait for its other end.
    guard stat(file, &status) == 0 else { throw .unloadable(path, String(cString: strerror(errno))) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .unloadable(path, "it is no file") }
    guard let object = dlopen(file, RTLD_NOW | RTLD_LOCAL) else {
      let reason = dlerror().map { String(cString: $0).utf8[...] } ?? "no reason given".utf8[...]
      let prefix = (file + ": ").utf8
      let rest = reason.starts(with: prefix) ? reason.dropFirst(prefix.count) : reason
      throw .unloadable(path, String(decoding: rest, as: UTF8.self))
    }
    guard let symbol = dlsym(object, entryName) else {
      dlclose(object)
      throw .broken(path, "has no symbol \(entryName), so it is no plug-in")
    }
    return unsafeBitCast(symbol, to: Entry.self)
  }

  private static func read(_ told: UnsafePointer<hoist_plugin>, _ path: String) throws(Refusal) -> hoist_plugin {
    // The first two members never change; all else depends on the version.
    let size = told.pointee.struct_size
    let leastForVersion = MemoryLayout<hoist_plugin>.offset(of: \.name) ?? 0
    let least = MemoryLayout<hoist_plugin>.offset(of: \.version) ?? 0
    if size >= leastForVersion, told.pointee.abi_version != UInt32(HOIST_PLUGIN_ABI) {
      throw .broken(
        path, "is of ABI version \(told.pointee.abi_version), and this library loads version \(HOIST_PLUGIN_ABI)")
    }
    guard size >= least, let read = HostTable.read(told) else {
      throw .broken(path, "says that struct_size of its hoist_plugin is \(size); it has to be \(least) or more")
    }
    return read
  }

  /// What the object offers for one service.
  private static func part<Part>(
    _ told: UnsafePointer<Part>?, _ type: String, _ path: String
  ) throws(Refusal) -> Part? {
    guard let told else { return nil }
    guard let read = HostTable.read(told) else {
      throw .broken(path, "says that struct_size of its \(type) is \(HostTable.size(of: told))")
    }
    return read
  }

  private static func names(_ offered: hoist_unleash_plugin?, _ path: String) throws(Refusal) -> [String] {
    guard let list = offered?.strategy_names else { return [] }
    var names: [String] = []
    while let next = list[names.count] {
      guard names.count < maximumStrategies else {
        throw .broken(path, "names more than \(maximumStrategies) strategies")
      }
      guard let name = CString.text(next), !name.isEmpty else {
        throw .broken(path, "has a strategy whose name is empty or not UTF-8")
      }
      names.append(name)
    }
    guard names.isEmpty || offered?.create_strategy != nil else {
      throw .broken(path, "names strategies, and its create_strategy is NULL")
    }
    return names
  }
}

extension Refusal {
  fileprivate static func unloadable(_ path: String, _ reason: String) -> Refusal {
    Refusal(.io, "the plug-in \(path) cannot be loaded: \(reason)")
  }

  static func broken(_ path: String, _ what: String) -> Refusal {
    Refusal(.plugin, "the plug-in \(path) \(what)")
  }
}
