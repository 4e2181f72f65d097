// The first program in Swift: flags from a file, without a network and without an account.
//
//   swift run first features.json
import Hoist

let file = CommandLine.arguments.dropFirst().first ?? "features.json"
let client = try HoistClient("unleash", ["mode": "backend", "online": "false", "bootstrap.file": file])
client.waitReady(within: .seconds(1))

let user = HoistContext("user-42", ["country": "NO", "plan": "pro", "age": 30])
print("new-checkout is \(client.bool("new-checkout", for: user, default: false) ? "on" : "off")")
print("greeting: \(client.string("greeting", for: user, default: "Hello"))")
print("page-size: \(client.int("page-size", for: user, default: 12))")

let banner = client.evaluate("banner", for: user)
print("banner: \(banner.variation ?? "none") \(banner.value) (\(banner.reason))")
client.close()
