import { Stack } from 'aws-cdk-lib';
import { type IGrantable, type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';

/**
 * Rights on the one endpoint of a deployment. Statements, because the CDK has no construct for an endpoint that is made at run time.
 */
export class PolicyRights {
  private readonly endpointName: string;
  private readonly servingRole: IRole;

  constructor(endpointName: string, servingRole: IRole) {
    this.endpointName = endpointName;
    this.servingRole = servingRole;
  }

  /** To ask the policy. Adapters are inference components, which are named after experiments. */
  invoke(grantee: IGrantable): void {
    const resources = [this.arn('endpoint', this.endpointName), this.arn('inference-component', '*')];
    this.allow(grantee, ['sagemaker:InvokeEndpoint'], resources);
  }

  /** To make versions answer: models and configurations are named after versions, which only experiments of this deployment have. */
  manage(grantee: IGrantable): void {
    this.allow(
      grantee,
      ['sagemaker:DescribeEndpoint', 'sagemaker:CreateEndpoint', 'sagemaker:UpdateEndpoint'],
      this.endpoint(),
    );
    this.allow(
      grantee,
      [
        'sagemaker:CreateModel',
        'sagemaker:CreateEndpointConfig',
        'sagemaker:CreateInferenceComponent',
        'sagemaker:DescribeInferenceComponent',
        'sagemaker:AddTags',
      ],
      this.descriptions(),
    );
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [this.servingRole.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'sagemaker.amazonaws.com' } },
      }),
    );
  }

  /** To take away what bills by the hour, and the descriptions that would be in the way of the next run. */
  release(grantee: IGrantable): void {
    this.allow(grantee, ['sagemaker:DescribeEndpoint', 'sagemaker:DeleteEndpoint'], this.endpoint());
    this.allow(
      grantee,
      ['sagemaker:DeleteEndpointConfig', 'sagemaker:DeleteModel', 'sagemaker:DeleteInferenceComponent'],
      this.descriptions(),
    );
    // Lists take no resource.
    this.allow(
      grantee,
      ['sagemaker:ListEndpointConfigs', 'sagemaker:ListModels', 'sagemaker:ListInferenceComponents'],
      ['*'],
    );
  }

  /** To see whose endpoint it is and until when, for the reaper. */
  readTags(grantee: IGrantable): void {
    this.allow(grantee, ['sagemaker:ListTags'], [this.arn('endpoint', this.endpointName)]);
  }

  private endpoint(): string[] {
    return [this.arn('endpoint', this.endpointName), this.arn('endpoint-config', '*')];
  }

  private descriptions(): string[] {
    return [
      this.arn('endpoint', this.endpointName),
      this.arn('endpoint-config', '*'),
      this.arn('model', '*'),
      this.arn('inference-component', '*'),
    ];
  }

  private arn(resource: string, resourceName: string): string {
    return Stack.of(this.servingRole).formatArn({ service: 'sagemaker', resource, resourceName });
  }

  private allow(grantee: IGrantable, actions: string[], resources: string[]): void {
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions, resources }));
  }
}
