// Shows the contract of the server that the page came from.
SwaggerUIBundle({
  url: 'openapi.yaml',
  dom_id: '#swagger-ui',
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // Nothing is sent to the validator that Swagger UI would ask otherwise.
  validatorUrl: null,
});
