import CHoist
import Glibc

/// An open client. Its callbacks run on the thread that waits here.
final class Session {
  let configuration: Configuration
  let log: LogCollector
  let client: OpaquePointer
  /// What to evaluate for; nil where the service evaluates, for the client's current context.
  private let context: Context?
  /// What is known of the subject beside its context.
  private var subject: AnyObject?
  /// For a client that gets its context after it is open.
  let identification: Identification?

  init(_ configuration: Configuration, for given: Context? = nil, isVerbose: Bool = false) throws {
    self.configuration = configuration
    log = LogCollector(isShown: isVerbose)
    var error: OpaquePointer?
    var table = log.table()
    guard hoist_config_set_logger(configuration.handle, &table, &error) == HOIST_OK else {
      throw Problem(status: hoist_error_status(error), error: error)
    }
    let identifies = configuration.traits.identifies(in: configuration)
    context = identifies ? nil : try Self.place(given, in: configuration)
    var opened: OpaquePointer?
    let status = hoist_client_open(configuration.handle, &opened, &error)
    guard status == HOIST_OK, let opened else {
      let problem = Problem(status: status, error: error, hint: Self.hint(configuration, error))
      throw configuration.hasConnection || configuration.file != nil ? problem : Problem(.usage, problem.message)
    }
    client = opened
    identification = identifies ? Identification(opened, given ?? Context()) : nil
  }

  /// A client that has flags, and knows what is said of the subject.
  convenience init(looking service: ProviderOptions, for options: ContextOptions) throws {
    let configuration = try service.configuration(for: .look)
    let given = try options.read(for: configuration.traits)
    try self.init(configuration, for: given, isVerbose: service.verbose)
    try waitForFlags(limitMilliseconds: service.timeoutMilliseconds)
    subject = try configuration.traits.subject(given, options, client)
  }

  deinit {
    _ = hoist_client_close(client, 0)
    hoist_client_free(client)
  }

  private static func place(_ context: Context?, in configuration: Configuration) throws -> Context? {
    guard let context, try configuration.traits.open(with: context, in: configuration) else { return context }
    return nil
  }

  /// How the option of the tool is called that sets the property which the library misses.
  private static func hint(_ configuration: Configuration, _ error: OpaquePointer?) -> String {
    if configuration.file != nil { return "" }
    if !configuration.hasConnection {
      let isFilePossible = configuration.traits.fileProperty != nil
      let other = isFilePossible ? ", or --features FILE to work without network" : ""
      return " (give \(configuration.traits.connectionOptions)\(other))"
    }
    let isKey = error != nil && String(cString: hoist_error_message(error)).hasPrefix("property \"key\"")
    return isKey ? " (put it into HOIST_KEY, or give --key-file FILE)" : ""
  }

  var state: hoist_client_state { hoist_client_get_state(client) }

  /// Runs waiting callbacks, or waits up to `milliseconds` for one.
  func dispatch(milliseconds: Int32) {
    var descriptor = pollfd(fd: hoist_client_dispatch_fd(client), events: Int16(POLLIN), revents: 0)
    if poll(&descriptor, 1, milliseconds) > 0 { _ = hoist_client_dispatch(client, 0) }
  }

  func evaluate(_ flag: String, isExplained: Bool = false) throws -> FlagDetail {
    if let own = (subject as? any DecidingSubject)?.decide(flag) { return FlagDetail(own) }
    var detail: OpaquePointer?
    let call = isExplained ? hoist_client_explain : hoist_client_evaluate
    let status = call(client, flag, context?.handle, &detail)
    defer { hoist_detail_free(detail) }
    guard status == HOIST_OK, let answer = LibraryText(hoist_detail_to_json(detail)).flatMap({ JSON(parsing: $0) }) else {
      throw Problem(.usage, "flag \"\(flag)\": the name is refused (\(String(cString: hoist_status_name(status))))")
    }
    var found = FlagDetail(answer)
    if found.errorCode.isEmpty, !found.enabled { found.isListed = allFlags().contains { $0.key.utf8.elementsEqual(flag.utf8) } }
    return found
  }

  /// Every known flag, by key.
  func allFlags() -> [FlagDetail] {
    let flags = FlagDetail.parseAll(LibraryText(hoist_client_all_flags(client, context?.handle)) ?? "{}")
    guard let own = subject as? any DecidingSubject else { return flags }
    return flags.map { own.decide($0.key).map { FlagDetail($0) } ?? $0 }
  }
}
