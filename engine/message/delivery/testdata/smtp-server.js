// A mail server of npm's smtp-server, which is strict about the envelope. Usage: node smtp-server.js MODULE OPTIONS
// It prints its port, and then a line of JSON for each message that it took.
const { SMTPServer } = require(process.argv[2]);
const options = JSON.parse(process.argv[3]);
const print = (value) => console.log(JSON.stringify(value));
let open = 0, most = 0;
const server = new SMTPServer({
  disableReverseLookup: true,
  authOptional: !options.password,
  ...options,
  onConnect(session, done) {
    most = Math.max(most, ++open);
    done();
  },
  onClose() {
    open--;
  },
  onAuth(auth, session, done) {
    const right = auth.password ? auth.password === options.password : auth.validatePassword(options.password);
    right ? done(null, { user: auth.username }) : done(new Error("wrong password"));
  },
  onData(stream, session, done) {
    let raw = "";
    stream.on("data", (block) => (raw += block.toString("latin1")));
    stream.on("end", () => {
      print({ Helo: session.hostNameAppearsAs, From: session.envelope.mailFrom.address, To: session.envelope.rcptTo.map((to) => to.address), Encrypted: session.secure, User: session.user || "", Raw: raw, Most: most });
      done(null, "queued as N1");
    });
  },
});
server.on("error", () => {}); // of one connection
server.listen(0, "127.0.0.1", () => print(server.server.address().port));
