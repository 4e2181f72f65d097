import ArgumentParser

/// How the plug-in for Redis is to find what is kept.
struct RedisOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The scope that the processes name in the plug-in's options.", valueName: "name"))
  var scope: String?

  @Option(help: ArgumentHelp("How keys begin, if not with hoist.", valueName: "text"))
  var prefix: String?

  @Option(help: ArgumentHelp("The database, if not 0.", valueName: "number"))
  var database: Int?

  @Option(help: ArgumentHelp("Who logs in.", valueName: "name"))
  var redisUser: String?

  @Option(
    help: ArgumentHelp("File that holds Redis' password; else the environment variable HOIST_REDIS_PASSWORD.", valueName: "file"),
    completion: .file())
  var redisPasswordFile: String?

  /// The first of these that is given.
  var firstGiven: String? {
    [
      ("--scope", scope), ("--prefix", prefix), ("--database", database.map { "\($0)" }), ("--redis-user", redisUser),
      ("--redis-password-file", redisPasswordFile),
    ].first { $0.1 != nil }?.0
  }

  func members() throws -> [(name: String, value: JSON)] {
    guard let scope else {
      throw Problem(.usage, "--from redis:… needs --scope, as the processes have it in the plug-in's options")
    }
    var members: [(name: String, value: JSON)] = [("scope", .string(scope))]
    if let prefix { members.append(("prefix", .string(prefix))) }
    if let database { members.append(("database", .number("\(database)"))) }
    if let redisUser { members.append(("user", .string(redisUser))) }
    if let password = try password() { members.append(("password", .string(password))) }
    return members
  }

  private func password() throws -> String? {
    guard let redisPasswordFile else { return Terminal.variable("HOIST_REDIS_PASSWORD") }
    var text = String(decoding: try InputFile.read(redisPasswordFile, for: "--redis-password-file"), as: UTF8.self)
    while let last = text.last, last.isNewline { text.removeLast() }
    return text
  }
}
